import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { tablesOf } from '../../compat/tables.ts';
import { captured, gpusIn, quote, saidOf } from './_stack.ts';

export const ptxasTooOldForGpu: Rule = defineRule({
  id: 'framework/ptxas-too-old-for-gpu',
  summary: 'The ptxas that the framework calls does not know this GPU',
  needs: [],
  anyOf: [
    'said.ptxas-arch-refused',
    'said.triton-ptxas-arch',
    'said.ptxas-unsupported-version',
    'said.ptxas-unsupported-target',
    'said.triton-ptxas-error',
    'said.tf-ptx-ptxas',
    'said.xla-driver-older-ptxas',
  ],
  uses: ['gpu.name', 'gpu.compute-capability'],
  citations: ['nvcc-architectures', 'triton-compiler'],
  explains: [
    'application/application-exception',
    'said.ptxas-*',
    'said.triton-*',
    'said.vllm-*',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-ptx-ptxas',
  ],
  check(_, context) {
    const said = saidOf(context, 'ptxas-arch-refused', 'triton-ptxas-arch', 'ptxas-unsupported-target');
    const remedies = [
      {
        actor: 'developer',
        do: 'use a framework release whose ptxas knows this GPU, or point it to a newer one',
        command: 'export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas; $TRITON_PTXAS_PATH --version',
      },
      {
        actor: 'developer',
        do: 'empty the kernel cache of the framework afterwards',
        command: 'rm -rf ~/.triton/cache',
      },
    ] as const;
    const arch = captured(said, 'arch');
    if (arch !== undefined) {
      const row = tablesOf(context.knowledge).architectures.get(Number(arch.value.replace(/\D/g, '')));
      if (row !== undefined && row.lastToolkit !== null)
        return {
          kind: 'cleared',
          because: `${arch.value} is not new to ptxas: the toolkits after ${row.lastToolkit} dropped it`,
          seen: quote(3, arch.fact),
        };
      const suffix = /[af]$/.exec(arch.value)?.[0];
      const since =
        row === undefined
          ? null
          : suffix === 'f' && row.firstToolkit < '12.9'
            ? '12.9'
            : suffix === 'a' && row.sm === 90
              ? '12.0'
              : row.firstToolkit;
      return {
        kind: 'fault',
        certainty: row === undefined ? 'likely' : 'proved',
        message: `ptxas does not know ${arch.value}${since === null ? '' : `, which CUDA ${since} and newer have`}`,
        seen: quote(
          5,
          arch.fact,
          said.find((fact) => fact !== arch.fact),
        ),
        remedies,
        weight: 3,
      };
    }
    // The JIT of the driver calls its input so; then no ptxas is at fault.
    const ofDriver = saidOf(context, 'ptxas-unsupported-version', 'tf-ptx-ptxas').some((fact) =>
      fact.seen.some((each) => each.text.includes('application ptx input')),
    );
    if (ofDriver && said.length === 0) return { kind: 'silent' };
    const version = saidOf(context, 'ptxas-arch-refused', 'ptxas-unsupported-version').find(
      (fact) => fact.value.captures['cur'] !== undefined,
    );
    if (version !== undefined) {
      const { ver, cur } = version.value.captures;
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `ptxas reads PTX up to ${cur}, and was given ${ver}`,
        seen: quote(4, version),
        remedies,
        missing: [{ fact: 'release of ptxas', ask: 'which -a ptxas; ptxas --version' }],
        weight: 2,
      };
    }
    const triton = saidOf(context, 'ptxas-arch-refused');
    const gpu = gpusIn(context, [])[0];
    if (triton.length > 0 && gpu !== undefined) {
      return gpu.gpu.sm >= 100
        ? {
            kind: 'fault',
            certainty: 'likely',
            message: `the compiler of the framework does not know compute capability ${gpu.gpu.sm / 10}`,
            seen: quote(4, triton[0], gpu.fact),
            remedies,
            missing: [{ fact: 'package', ask: 'pip list | grep -i triton' }],
          }
        : { kind: 'cleared', because: 'this GPU is not new to the compilers of today', seen: quote(3, gpu.fact) };
    }
    return { kind: 'unknown', missing: [{ fact: 'what ptxas said', ask: 'grep -n "ptxas" LOG; ptxas --version' }] };
  },
});
