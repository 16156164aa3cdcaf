import { comparePadded, parseDigits, parseDotted } from './numeric.ts';

/** CUDA version: major, minor where known, and the third part as printed (update or build number). */
export interface CudaVersion {
  readonly major: number;
  /** Null when only the major is known (`cu12`). */
  readonly minor: number | null;
  readonly patch: number | null;
}

/**
 * Reads `12.4`, `12.4.1`, `12`, `V12.4.131`, `v12.4`, `cuda12.4`, the integer form `12040` (cudart, cuDriverGetVersion)
 * and wheel variants `cu124`, `cu12`, `cuda12`, `cuda12x`. Null for anything else.
 */
export function parseCuda(input: string): CudaVersion | null {
  let text = input.trim().toLowerCase();
  if (text.length === 0 || text.length > 40) return null;
  if (text.startsWith('cuda')) {
    text = text.slice(4).trimStart();
    if (text.endsWith('x')) text = text.slice(0, -1);
    if (text.startsWith('-') || text.startsWith('_')) text = text.slice(1);
    return text.includes('.') ? dotted(text) : compact(text);
  }
  if (text.startsWith('cu')) return compact(text.slice(2));
  if (text.startsWith('v')) text = text.slice(1);
  return dotted(text);
}

function dotted(text: string): CudaVersion | null {
  // NGC images print a build number as a fourth part: 12.6.2.004.
  const parts = parseDotted(text, 4);
  if (parts === null) return null;
  const [major, minor, patch] = parts as [number, number?, number?];
  if (minor === undefined && major >= 1000) return integer(major);
  if (major < 1 || major > 99 || (minor ?? 0) > 99) return null;
  return { major, minor: minor ?? null, patch: patch ?? null };
}

/** `12040` is 12.4, `9020` is 9.2, `11080` is 11.8. */
function integer(value: number): CudaVersion | null {
  if (value > 99_999) return null;
  const major = Math.floor(value / 1000);
  const minor = Math.floor((value % 1000) / 10);
  return { major, minor, patch: null };
}

/** `124` is 12.4, `12` is 12, `92` is 9.2: the major has two digits from 10 on. */
function compact(text: string): CudaVersion | null {
  const value = parseDigits(text);
  if (value === null || text.startsWith('0')) return null;
  if (text.length === 1) return { major: value, minor: null, patch: null };
  if (text.length === 2) {
    return value < 40
      ? { major: value, minor: null, patch: null }
      : { major: Math.floor(value / 10), minor: value % 10, patch: null };
  }
  if (text.length === 3) {
    return { major: Number(text.slice(0, 2)), minor: Number(text.slice(2)), patch: null };
  }
  if (text.length === 4) return { major: Number(text.slice(0, 2)), minor: Number(text.slice(2)), patch: null };
  return null;
}

/** Total order; an unknown minor or patch comes before every known one. */
export function compareCuda(a: CudaVersion, b: CudaVersion): number {
  return order(a.major, b.major) || order(a.minor ?? -1, b.minor ?? -1) || order(a.patch ?? -1, b.patch ?? -1);
}

/** Order by major and minor alone: 12.4 and 12.4.1 are the same release line. Null when a minor is missing and decides. */
export function compareCudaMinor(a: CudaVersion, b: CudaVersion): number | null {
  if (a.major !== b.major) return order(a.major, b.major);
  if (a.minor === null || b.minor === null) return null;
  return order(a.minor, b.minor);
}

/** `12.4.1`, `12.4` or `12`. */
export function formatCuda(version: CudaVersion): string {
  return [version.major, version.minor, version.patch].filter((part) => part !== null).join('.');
}

/** Major and minor only: `12.4`; `12` when the minor is not known. */
export function formatCudaMinor(version: CudaVersion): string {
  return version.minor === null ? String(version.major) : `${version.major}.${version.minor}`;
}

/** Versions as the start check of containers compares them: trailing zeros do not count. */
export function compareCudaText(a: string, b: string): number | null {
  const x = parseDotted(a, 4);
  const y = parseDotted(b, 4);
  return x === null || y === null ? null : comparePadded(x, y);
}

function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
