import { compareCudaMinor, formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import type { Tables } from './tables.ts';

/** CUDA version of a program: one release, or the span it can be (a wheel for `cuda12`). */
export interface CudaRange {
  readonly low: CudaVersion;
  readonly high: CudaVersion;
  /** Every release in the range is a published CUDA version. */
  readonly known: boolean;
}

/** Reads a CUDA version into a range: `12.4` is one release, `cu12` is 12.0 to the newest 12. Null if unreadable. */
export function cudaRange(text: string, tables: Tables): CudaRange | null {
  const version = parseCuda(text);
  return version === null ? null : rangeOf(version, tables);
}

/** As `cudaRange`, of a version that was read. */
export function rangeOf(version: CudaVersion, tables: Tables): CudaRange {
  const newest = tables.newestMinor.get(version.major);
  if (version.minor !== null) {
    const known = tables.toolkits.has(formatCudaMinor(version)) || isServed(version, tables);
    return { low: version, high: version, known };
  }
  return {
    low: { major: version.major, minor: 0, patch: null },
    high: { major: version.major, minor: newest ?? 0, patch: null },
    known: newest !== undefined,
  };
}

/** 12.7 has no toolkit, but a driver branch reports it. */
function isServed(version: CudaVersion, tables: Tables): boolean {
  for (const row of tables.branches.values()) if (row.cuda === formatCudaMinor(version)) return true;
  return false;
}

/** Is `a` newer than `b` by major and minor? Null when a missing minor decides. */
export function isNewer(a: CudaVersion, b: CudaVersion): boolean | null {
  const order = compareCudaMinor(a, b);
  return order === null ? null : order > 0;
}

/** `12.4`, or `12.0 to 12.9`. */
export function rangeText(range: CudaRange): string {
  const low = formatCudaMinor(range.low);
  const high = formatCudaMinor(range.high);
  return low === high ? low : `${low} to ${high}`;
}
