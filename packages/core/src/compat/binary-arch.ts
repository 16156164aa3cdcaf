import { parseComputeCapability, smNumber } from '../versions/compute-capability.ts';
import type { ComputeCapability } from '../versions/compute-capability.ts';
import { formatCudaMinor } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import type { CudaRange } from './cuda-range.ts';
import { capabilityText, gpuLabel } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import type { Code } from './program.ts';
import type { Tables } from './tables.ts';

/** PTX of which only is known that it is there: `compute_any`. */
const anyTarget = 'any';

const jetson = [32, 53, 62, 72, 87, 101, 110];

/**
 * Does machine code for `target` run on a GPU of `sm`? Same major and no lower minor; `a` code on exactly its own
 * compute capability; `f` code inside its family. Code for a Jetson number is for the Jetson alone.
 */
export function sassRunsOn(target: ComputeCapability, sm: number): boolean | null {
  const number = smNumber(target);
  if (number === sm) return true;
  if (target.suffix === 'a') return false;
  const major = Math.floor(sm / 10);
  if (target.major !== major || target.minor > sm % 10) return false;
  if (jetson.includes(number)) return false;
  // Whether family code of 10.0 covers 10.7 was not seen in print.
  if (target.suffix === 'f' && sm === 107) return null;
  return true;
}

/** May PTX for `target` be compiled for a GPU of `sm`? Any equal or newer one; `a` and `f` PTX are bound as their code is. */
export function ptxFits(target: ComputeCapability, sm: number): boolean | null {
  if (target.suffix === '') return smNumber(target) <= sm;
  return sassRunsOn(target, sm);
}

/** Can a driver that serves `driver` compile PTX made by toolkit `toolkit`? Null where a table row is not confirmed. */
export function jitReads(toolkit: CudaVersion, driver: CudaVersion, tables: Tables): boolean | null {
  if (toolkit.major < driver.major) return true;
  if (toolkit.major > driver.major) return false;
  const made = toolkit.minor ?? 0;
  const served = driver.minor ?? 0;
  if (made <= served) return true;
  const a = tables.ptxIsa.get(formatCudaMinor(toolkit));
  const b = tables.ptxIsa.get(formatCudaMinor(driver));
  if (a === undefined || b === undefined || a.ptxIsa !== b.ptxIsa) return false;
  return a.confirmed && b.confirmed ? true : null;
}

/** What the code inside a program means on a GPU. */
export type CodeVerdict =
  | { readonly kind: 'sass'; readonly target: string }
  | { readonly kind: 'ptx'; readonly target: string }
  | { readonly kind: 'ptx-too-new'; readonly target: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly message: string; readonly needs: string };

/** Picks what the driver would: machine code first, else PTX that it can compile. */
export function codeOn(
  code: Code,
  gpu: Gpu,
  built: CudaRange | null,
  serves: CudaVersion | null,
  tables: Tables,
): CodeVerdict {
  let open: string | null = null;
  for (const name of code.sass) {
    const target = parseComputeCapability(name);
    if (target === null) continue;
    const truth = sassRunsOn(target, gpu.sm);
    if (truth === true) return { kind: 'sass', target: `sm_${name}` };
    if (truth === null) open = `sm_${name}`;
  }
  let tooNew: string | null = null;
  for (const name of code.ptx) {
    if (name === anyTarget) {
      const reads = built === null || serves === null ? null : jitReads(built.high, serves, tables);
      if (reads === false) tooNew ??= 'its PTX';
      else open ??= 'its PTX';
      continue;
    }
    const target = parseComputeCapability(name);
    if (target === null) continue;
    const truth = ptxFits(target, gpu.sm);
    if (truth === null) open ??= `compute_${name}`;
    if (truth !== true) continue;
    const reads = built === null || serves === null ? null : jitReads(built.high, serves, tables);
    if (reads === true) return { kind: 'ptx', target: `compute_${name}` };
    if (reads === false) tooNew ??= `compute_${name}`;
    else open ??= `compute_${name}`;
  }
  if (open !== null) {
    return {
      kind: 'open',
      message: `whether ${open} serves ${gpuLabel(gpu)} here is not published`,
      needs: `code for ${smName(gpu.sm)}`,
    };
  }
  return tooNew === null ? { kind: 'none' } : { kind: 'ptx-too-new', target: tooNew };
}

/** What a toolkit can make for a GPU: code for it or for a lower minor of its major; only PTX; nothing. */
export function toolkitReach(built: CudaRange, gpu: Gpu, tables: Tables): 'sass' | 'ptx-only' | 'nothing' | null {
  const row = gpu.row;
  if (row === null) return null;
  if (row.lastToolkit !== null && newerThan(built.low, row.lastToolkit)) return 'nothing';
  for (const one of tables.architectures.values()) {
    if (Math.floor(one.sm / 10) !== Math.floor(gpu.sm / 10) || one.sm > gpu.sm || (one.tegra && one.sm !== gpu.sm))
      continue;
    if (
      !newerThan(parsed(one.firstToolkit), formatCudaMinor(built.high)) &&
      (one.lastToolkit === null || !newerThan(built.low, one.lastToolkit))
    ) {
      return 'sass';
    }
  }
  return 'ptx-only';
}

/** First target of a binary that its toolkit cannot have made; null when all are possible. */
export function impossibleTarget(code: Code, built: CudaRange, tables: Tables): string | null {
  for (const [prefix, names] of [
    ['sm_', code.sass],
    ['compute_', code.ptx],
  ] as const) {
    for (const name of names) {
      if (name === anyTarget) continue;
      const target = parseComputeCapability(name);
      const row = target === null ? undefined : tables.architectures.get(smNumber(target));
      if (target === null || row === undefined) return `${prefix}${name}`;
      if (newerThan(parsed(row.firstToolkit), formatCudaMinor(built.high))) return `${prefix}${name}`;
      if (row.lastToolkit !== null && newerThan(built.low, row.lastToolkit)) return `${prefix}${name}`;
      const suffixSince = target.suffix === 'a' ? '12.0' : target.suffix === 'f' ? '12.9' : null;
      if (suffixSince !== null && newerThan(parsed(suffixSince), formatCudaMinor(built.high)))
        return `${prefix}${name}`;
    }
  }
  return null;
}

function parsed(text: string): CudaVersion {
  const [major, minor] = text.split('.').map(Number) as [number, number?];
  return { major, minor: minor ?? 0, patch: null };
}

function newerThan(a: CudaVersion, b: string): boolean {
  const other = parsed(b);
  return a.major !== other.major ? a.major > other.major : (a.minor ?? 0) > (other.minor ?? 0);
}

/** `sm_90`. */
export function smName(sm: number): string {
  return `sm_${sm}`;
}

/** `sm_90 code or plain PTX for 9.0 or older`: what a program lacks. */
export function codeNeeded(gpu: Gpu): string {
  return `code for ${smName(gpu.sm)} or plain PTX (compute_${gpu.sm} or lower, up to ${capabilityText(gpu.sm)})`;
}
