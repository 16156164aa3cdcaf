import type { Kernel as CompiledKernel } from '../binary/model.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { isNcuHeader, readNcu } from '../trace/ncu.ts';
import { kernelsOfProfile } from '../trace/ncu-kernels.ts';
import type { KernelResources } from './ptxas.ts';
import { noResources, ptxasKernels } from './ptxas.ts';

/** Kernels of a text, and what the text is. */
export interface KernelsOfText {
  readonly from: 'ptxas' | 'profile';
  readonly kernels: readonly KernelResources[];
}

/** Kernels of the assembler's verbose output or of a profile (Nsight Compute, CSV); null where the text is neither. */
export function kernelsOfText(text: string, knowledge: Knowledge): KernelsOfText | null {
  if (text.split('\n').some((line) => isNcuHeader(line))) {
    const profile = readNcu(text, knowledge);
    if (profile !== null) return { from: 'profile', kernels: kernelsOfProfile(profile).map(ofProfile) };
  }
  const kernels = ptxasKernels(text);
  return kernels.length === 0 ? null : { from: 'ptxas', kernels };
}

function ofProfile(kernel: ReturnType<typeof kernelsOfProfile>[number]): KernelResources {
  const at = (name: string): number | null => kernel.numbers.get(name)?.value ?? null;
  return {
    ...noResources,
    name: kernel.name,
    arch: kernel.computeCapability === null ? null : `sm_${kernel.computeCapability.replace('.', '')}`,
    registers: at('registers-per-thread'),
    staticShared: at('static-shared-memory'),
    dynamicShared: at('dynamic-shared-memory'),
    blockSize: kernel.block ?? at('block-size'),
    grid: kernel.grid ?? at('grid-size'),
    sms: at('sm-count'),
    cluster: at('cluster-size'),
  };
}

/** A kernel of a binary. */
export function ofCompiled(kernel: CompiledKernel): KernelResources {
  const product = (sizes: readonly number[] | undefined): number | null =>
    sizes === undefined ? null : sizes.reduce((all, each) => all * each, 1);
  return {
    ...noResources,
    name: kernel.name,
    demangled: kernel.demangled,
    arch: kernel.arch,
    registers: kernel.registers,
    staticShared: kernel.staticSharedBytes,
    barriers: kernel.barriers,
    maxThreads: kernel.maxThreads,
    blockSize: product(kernel.requiredThreads),
    cluster: product(kernel.cluster),
  };
}

/** Architectures whose code a GPU of this capability can load, as files name them. */
export function loadableOn(computeCapability: string): readonly string[] {
  const [major, minor] = computeCapability.split('.').map(Number) as [number, number];
  const archs: string[] = [];
  for (let each = 0; each <= minor; each++)
    for (const suffix of ['', 'a', 'f']) archs.push(`sm_${major}${each}${suffix}`);
  return archs;
}

/** Kernels whose name, or name in the source, holds what was asked for; a name that is equal goes alone. */
export function kernelsNamed(kernels: readonly KernelResources[], wanted: string): readonly KernelResources[] {
  const equal = kernels.filter((each) => each.name === wanted || each.demangled === wanted);
  if (equal.length > 0) return equal;
  const lower = wanted.toLowerCase();
  return kernels.filter(
    (each) => each.name.toLowerCase().includes(lower) || (each.demangled ?? '').toLowerCase().includes(lower),
  );
}

/**
 * Of kernels that are there for several architectures, the code that a GPU loads: same major and not newer than it, the
 * newest of these; code with a suffix `a` only where it is exactly this capability, `f` within its family.
 */
export function kernelsFor(kernels: readonly KernelResources[], computeCapability: string): readonly KernelResources[] {
  const [major, minor] = computeCapability.split('.').map(Number) as [number, number];
  const best = new Map<string, { readonly minor: number; readonly kernel: KernelResources }>();
  for (const kernel of kernels) {
    const match = /^sm_(\d{1,2})(\d)([af]?)$/.exec(kernel.arch ?? '');
    if (match === null) {
      if (kernel.arch === null) best.set(`${kernel.name}\u0000`, { minor: 0, kernel });
      continue;
    }
    const own = Number(match[2]);
    if (Number(match[1]) !== major || own > minor || (match[3] === 'a' && own !== minor)) continue;
    const known = best.get(kernel.name);
    if (known === undefined || own > known.minor || (own === known.minor && match[3] !== ''))
      best.set(kernel.name, { minor: own, kernel });
  }
  return [...best.values()].map((each) => each.kernel);
}
