import { parseCuda } from './cuda.ts';
import type { CudaVersion } from './cuda.ts';
import { compareParts, parseDigits, parseDotted } from './numeric.ts';
import { parseTuple } from './tuple.ts';

/** NCCL version, with the CUDA version it was built for where the text names it. */
export interface NcclVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number | null;
  readonly cuda: CudaVersion | null;
}

/**
 * Reads `2.21.5`, `2.21.5+cuda12.4`, `2.21.5-1`, the tuple `(2, 21, 5)`, and the integers of ncclGetVersion: `2708` is
 * 2.7.8 (up to 2.8: major × 1000), `22105` is 2.21.5 (from 2.9 on: major × 10000). Null for anything else.
 */
export function parseNccl(input: string): NcclVersion | null {
  const text = input.trim();
  const plus = text.indexOf('+');
  const number = plus < 0 ? text : text.slice(0, plus);
  const cuda = plus < 0 ? null : parseCuda(text.slice(plus + 1));
  if (plus >= 0 && cuda === null) return null;
  const parts = parseTuple(number, 3) ?? integerParts(number) ?? parseDotted(dropRelease(number), 3);
  const [major, minor, patch] = parts ?? [];
  if (major === undefined || minor === undefined || major < 1 || major > 9 || minor > 99) return null;
  return { major, minor, patch: patch ?? null, cuda };
}

/** Package versions carry a release number: `2.21.5-1`. */
function dropRelease(text: string): string {
  const dash = text.indexOf('-');
  return dash > 0 && parseDigits(text.slice(dash + 1)) !== null ? text.slice(0, dash) : text;
}

function integerParts(text: string): readonly number[] | null {
  const value = parseDigits(text);
  if (value === null || value < 1000 || value > 99_999) return null;
  const scale = value < 10_000 ? 1000 : 10_000;
  return [Math.floor(value / scale), Math.floor((value % scale) / 100), value % 100];
}

/** Total order by version, then by the CUDA version it was built for. */
export function compareNccl(a: NcclVersion, b: NcclVersion): number {
  return compareParts(parts(a), parts(b)) || compareParts(cudaParts(a), cudaParts(b));
}

function parts(version: NcclVersion): readonly number[] {
  return version.patch === null ? [version.major, version.minor] : [version.major, version.minor, version.patch];
}

function cudaParts(version: NcclVersion): readonly number[] {
  const cuda = version.cuda;
  return cuda === null ? [] : [cuda.major, ...(cuda.minor === null ? [] : [cuda.minor])];
}

/** `2.21.5`, with `+cuda12.4` where the build is known. */
export function formatNccl(version: NcclVersion): string {
  const number = parts(version).join('.');
  return version.cuda === null ? number : `${number}+cuda${cudaParts(version).join('.')}`;
}
