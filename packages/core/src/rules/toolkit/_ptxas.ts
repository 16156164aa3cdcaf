import type { Evidence } from '../../model/document.ts';
import type { Fact } from '../../model/facts.ts';
import type { Certainty } from '../../model/layer.ts';
import type { Missing, RuleContext } from '../../model/rule.ts';
import { tablesOf } from '../../compat/tables.ts';
import { captured, gpusIn, isBundled, own, quote, saidOf } from '../framework/_stack.ts';

/** What a ptxas that refuses a kernel says, and whose it is. */
export interface PtxasAnswer {
  /** `gpu`: it does not know the GPU. `dropped`: it no longer does. `ptx`: the PTX is of a newer compiler. `open`: it said no more. */
  readonly kind: 'gpu' | 'dropped' | 'ptx' | 'open';
  /** A ptxas that does not belong to the framework was called. */
  readonly foreign: Fact | null;
  readonly certainty: Certainty;
  readonly message: string;
  readonly seen: readonly Evidence[];
  readonly missing: readonly Missing[];
}

const askPtxas: Missing = { fact: 'release of ptxas', ask: 'which -a ptxas; ptxas --version; echo $TRITON_PTXAS_PATH' };

/** Reads what ptxas said; null where none spoke, or the JIT of the driver did. */
export function ptxasAnswer(context: RuleContext): PtxasAnswer | null {
  const said = saidOf(
    context,
    'ptxas-arch-refused',
    'triton-ptxas-arch',
    'ptxas-unsupported-target',
    'ptxas-unsupported-version',
    'triton-ptxas-error',
    'tf-ptx-ptxas',
    ...(fallbackFailed(context) ? ['xla-ptxas-fallback'] : []),
  ).filter(
    // The JIT of the driver calls its input so; then no ptxas is at fault.
    (fact) => !fact.seen.some((each) => each.text.includes('application ptx input')),
  );
  const lead = said[0];
  if (lead === undefined) return null;
  const foreign = foreignPtxas(context);
  const arch = captured(said, 'arch');
  if (arch !== undefined) {
    const row = tablesOf(context.knowledge).architectures.get(Number(arch.value.replace(/\D/g, '')));
    const seen = quote(
      5,
      arch.fact,
      foreign ?? undefined,
      said.find((fact) => fact !== arch.fact),
    );
    if (row !== undefined && row.lastToolkit !== null) {
      return {
        kind: 'dropped',
        foreign,
        certainty: 'likely',
        message: `ptxas refuses ${arch.value}, which the toolkits after ${row.lastToolkit} dropped`,
        seen,
        missing: [askPtxas],
      };
    }
    const suffix = /[af]$/.exec(arch.value)?.[0];
    const since =
      row === undefined
        ? null
        : suffix === 'f' && row.sm < 103
          ? '12.9'
          : suffix === 'a' && row.sm === 90
            ? '12.0'
            : row.firstToolkit;
    return {
      kind: 'gpu',
      foreign,
      certainty: row === undefined ? 'likely' : 'proved',
      message: `ptxas does not know ${/^\d/.test(arch.value) ? `compute capability ${arch.value}` : arch.value}${since === null ? '' : `, which CUDA ${since} and newer have`}`,
      seen,
      missing: row === undefined ? [askPtxas] : [],
    };
  }
  const version = said.find((fact) => fact.value.captures['cur'] !== undefined);
  if (version !== undefined) {
    const { ver, cur } = version.value.captures;
    const release = own(context, 'toolkit.nvcc').find((fact) => !fact.told);
    const proof = foreign ?? release;
    return {
      kind: 'ptx',
      foreign,
      certainty: proof === undefined || proof === null ? 'likely' : 'proved',
      message: `the ptxas that is called reads PTX up to ${cur}, and was given ${ver}${release === undefined ? '' : `; it is of CUDA ${release.value}`}`,
      seen: quote(5, version, foreign ?? undefined, release),
      missing: proof === undefined || proof === null ? [askPtxas] : [],
    };
  }
  const gpu = gpusIn(context, [])[0];
  if (gpu !== undefined && gpu.gpu.sm >= 100 && saidOf(context, 'ptxas-arch-refused').length > 0) {
    return {
      kind: 'gpu',
      foreign,
      certainty: 'likely',
      message: `the compiler of the framework does not know compute capability ${gpu.gpu.sm / 10}`,
      seen: quote(4, lead, gpu.fact),
      missing: [{ fact: 'package', ask: 'pip list | grep -i triton' }],
    };
  }
  return {
    kind: 'open',
    foreign,
    certainty: 'possible',
    message: 'ptxas refused a kernel',
    seen: quote(3, lead),
    missing: [{ fact: 'what ptxas said', ask: 'grep -n "ptxas" LOG; ptxas --version' }],
  };
}

/** XLA lets the driver compile where ptxas is too old: only where that fails too is the ptxas to blame. */
function fallbackFailed(context: RuleContext): boolean {
  const warned = saidOf(context, 'xla-ptxas-fallback').filter((fact) => !fact.told);
  const [first] = warned;
  if (first === undefined) return false;
  if (own(context, 'works').some((fact) => fact.order > first.order && fact.value.layer === 'application'))
    return false;
  const refused = saidOf(context, 'cuda-invalid-kernel-image', 'cuda-no-kernel-image', 'cuda-invalid-ptx');
  const raised = own(context, 'program.exception').filter((fact) => /ptx|ptxas|kernel image/i.test(fact.value.message));
  return [...refused, ...raised].some((fact) => (fact.last ?? fact.order) > first.order);
}

/** A ptxas of a toolkit, by its path in the message, in the environment or in the output of `which`. */
function foreignPtxas(context: RuleContext): Fact | null {
  const variable = own(context, 'env').find(
    (fact) => /PTXAS/.test(fact.value.name) && fact.value.value.startsWith('/') && !isBundled(fact.value.value),
  );
  const paths = saidOf(context, 'ptxas-path').filter((fact) => !fact.told);
  const called = paths.find((fact) => !isOwn(fact.value.captures['path'] ?? ''));
  return variable ?? called ?? null;
}

function isOwn(path: string): boolean {
  return isBundled(path) || /\/triton\/|\/nvidia\/cuda_nvcc\//.test(path);
}
