import type { Evidence } from '../../model/document.ts';
import type { Fact } from '../../model/facts.ts';
import type { Certainty } from '../../model/layer.ts';
import type { Missing, RuleContext } from '../../model/rule.ts';
import { tablesOf } from '../../compat/tables.ts';
import { compareCudaMinor, parseCuda } from '../../versions/cuda.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { parseComputeCapability, smNumber } from '../../versions/compute-capability.ts';
import { captured, gpusIn, own, quote, saidOf, wasSaid } from '../framework/_stack.ts';

/** Which side a compiler is on that refuses an architecture, and who called it. */
export interface CompilerAnswer {
  readonly side: 'too-old' | 'dropped' | 'open';
  /** Kernels are compiled while the program runs, not in a build. */
  readonly jit: boolean;
  readonly certainty: Certainty;
  readonly message: string;
  readonly seen: readonly Evidence[];
  readonly missing: readonly Missing[];
}

const askNvcc: Missing = { fact: 'toolkit.nvcc', ask: 'nvcc --version; which nvcc; echo $CUDA_HOME' };
const refused = ['nvcc-arch-refused', 'nvcc-unsupported-arch'] as const;
/** First toolkits with `a` and `f` targets (nvcc: GPU feature list). */
const suffixSince: Readonly<Record<string, CudaVersion>> = {
  a: { major: 12, minor: 0, patch: null },
  f: { major: 12, minor: 9, patch: null },
};

/** Decides by the table of architectures whether the compiler is older than the GPU or has dropped it. */
export function compilerAnswer(context: RuleContext): CompilerAnswer | null {
  const messages = saidOf(context, ...refused);
  const jitRefused = saidOf(context, 'jit-arch-refused', 'nvrtc-invalid-arch');
  const lead = messages[0] ?? jitRefused[0];
  if (lead === undefined) return null;
  const runtime = messages.length === 0 || (wasSaid(context, 'jit-compilation') && !wasSaid(context, 'package-build'));
  const named = captured([...messages, ...jitRefused], 'arch');
  const gpu = named === undefined ? gpusIn(context, [])[0] : undefined;
  const target = named === undefined ? null : parseComputeCapability(named.value.replace(/^(?:compute|lto)_/, 'sm_'));
  const major = captured(jitRefused, 'major')?.value;
  const sm =
    target !== null
      ? smNumber(target)
      : (gpu?.gpu.sm ?? (major === undefined ? null : Number.parseInt(major, 10) * 10));
  const called = named?.value ?? (sm === null ? 'this GPU' : `sm_${sm}`);
  const needed = captured(jitRefused, 'need');
  const compiler = compilerRelease(context, messages.length > 0);
  if (needed !== undefined) {
    return {
      side: 'too-old',
      jit: true,
      certainty: 'proved',
      message: `code for ${called} is compiled at run time and needs CUDA ${needed.value} or newer${compiler === null ? '' : `; the toolkit found is ${compiler.text}`}`,
      seen: quote(5, needed.fact, compiler?.fact),
      missing: [],
    };
  }
  if (sm === null)
    return {
      side: 'open',
      jit: runtime,
      certainty: 'possible',
      message: 'the compiler refuses the architecture of this GPU',
      seen: quote(4, lead),
      missing: [
        askNvcc,
        { fact: 'gpu.compute-capability', ask: 'nvidia-smi --query-gpu=name,compute_cap --format=csv' },
      ],
    };

  const row = tablesOf(context.knowledge).architectures.get(sm);
  const suffix = target?.suffix ?? '';
  // Where the number alone decides, a release that somebody only told is no part of the proof.
  const alone = messages.length > 0 && row?.lastToolkit === null;
  const seen = quote(5, lead, alone && compiler?.printed === false ? undefined : compiler?.fact, gpu?.fact);
  const answer = (
    side: 'too-old' | 'dropped',
    certainty: Certainty,
    message: string,
    missing: readonly Missing[] = [],
  ): CompilerAnswer => ({ side, jit: runtime, certainty, message, seen, missing });
  // Below 3.0 nothing current was ever called too new; Fermi left with CUDA 9, Tesla with CUDA 7.
  if (row === undefined) {
    return sm < 30
      ? answer(
          'dropped',
          'proved',
          `${called} is an architecture that CUDA toolkits dropped${compiler === null ? '' : `; the compiler is of CUDA ${compiler.text}`}`,
        )
      : answer('too-old', 'likely', `the compiler does not know ${called}`, [askNvcc]);
  }
  const first = maxCuda(parsed(row.firstToolkit), suffixSince[suffix]);
  const last = row.lastToolkit === null ? null : parsed(row.lastToolkit);
  if (compiler !== null) {
    if (last !== null && (compareCudaMinor(compiler.cuda, last) ?? 0) > 0) {
      return answer(
        'dropped',
        compiler.printed ? 'proved' : 'likely',
        `CUDA ${compiler.text} no longer compiles for ${called}; the last toolkit that does is ${row.lastToolkit}`,
      );
    }
    if ((compareCudaMinor(compiler.cuda, first) ?? 0) < 0) {
      return answer(
        'too-old',
        compiler.printed || alone ? 'proved' : 'likely',
        `CUDA ${compiler.text} does not know ${called} yet; the first toolkit that does is ${first.major}.${first.minor}`,
      );
    }
  }
  // The number alone: what current toolkits know can only be refused by an older one.
  if (last === null) {
    return answer(
      'too-old',
      messages.length > 0 ? 'proved' : 'likely',
      `the compiler does not know ${called}, which CUDA ${first.major}.${first.minor} and newer compile for`,
      messages.length > 0 ? [] : [askNvcc],
    );
  }
  if (sm < 50)
    return answer(
      'dropped',
      messages.length > 0 ? 'proved' : 'likely',
      `${called} is no longer compiled for since CUDA ${last.major === 10 ? '11.0' : '12.0'}`,
      messages.length > 0 ? [] : [askNvcc],
    );
  return answer('dropped', 'likely', `the compiler refuses ${called}, which CUDA 13.0 dropped`, [askNvcc]);
}

/** Release of the compiler: what nvcc printed, else the toolkit that is installed; of a JIT library also torch's CUDA. */
export function compilerRelease(
  context: RuleContext,
  build: boolean,
): { readonly cuda: CudaVersion; readonly text: string; readonly fact: Fact; readonly printed: boolean } | null {
  const ids = build
    ? (['toolkit.nvcc', 'toolkit.installed', 'image.cuda'] as const)
    : (['toolkit.nvcc', 'toolkit.installed', 'toolkit.runtime', 'torch.cuda', 'image.cuda'] as const);
  for (const id of ids) {
    for (const fact of own(context, id)) {
      const cuda = fact.value === null ? null : parseCuda(fact.value);
      if (cuda !== null && cuda.minor !== null)
        return { cuda, text: `${cuda.major}.${cuda.minor}`, fact, printed: !fact.told };
    }
  }
  // What a person calls the CUDA of a build is its toolkit.
  for (const fact of own(context, 'toolkit.runtime')) {
    const told = fact.told ? parseCuda(fact.value) : null;
    if (told !== null && told.minor !== null)
      return { cuda: told, text: `${told.major}.${told.minor}`, fact, printed: false };
  }
  const message = captured(saidOf(context, 'nvcc-arch-refused'), 'cuda');
  const cuda = message === undefined ? null : parseCuda(message.value);
  return cuda === null || message === undefined
    ? null
    : { cuda, text: message.value, fact: message.fact, printed: true };
}

function parsed(text: string): CudaVersion {
  return parseCuda(text) ?? { major: 0, minor: 0, patch: null };
}

function maxCuda(a: CudaVersion, b: CudaVersion | undefined): CudaVersion {
  return b !== undefined && (compareCudaMinor(a, b) ?? 0) < 0 ? b : a;
}
