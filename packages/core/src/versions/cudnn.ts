import { compareParts, parseDigits, parseDotted } from './numeric.ts';
import { parseTuple } from './tuple.ts';

/** cuDNN version; parts that were not printed are null. */
export interface CudnnVersion {
  readonly major: number;
  readonly minor: number | null;
  readonly patch: number | null;
  /** Fourth part of package versions: `9.10.2.21`. */
  readonly build: number | null;
}

/**
 * Reads `9.1.0`, `9.10.2.21`, `9.3`, `9`, the tuple `(9, 1, 0)`, and the integers of cudnnGetVersion: `8907` is 8.9.7
 * (four digits up to 8), `90100` is 9.1.0, `91002` is 9.10.2 (five from 9 on). Null for anything else.
 */
export function parseCudnn(input: string): CudnnVersion | null {
  let text = input.trim();
  if (text.startsWith('v') || text.startsWith('V')) text = text.slice(1);
  const tuple = parseTuple(text, 4);
  if (tuple !== null) return fromParts(tuple);
  const integer = parseDigits(text);
  if (integer !== null && integer >= 1000) {
    if (integer < 10_000)
      return fromParts([Math.floor(integer / 1000), Math.floor((integer % 1000) / 100), integer % 100]);
    if (integer > 999_999) return null;
    return fromParts([Math.floor(integer / 10_000), Math.floor((integer % 10_000) / 100), integer % 100]);
  }
  const parts = parseDotted(text, 4);
  return parts === null ? null : fromParts(parts);
}

function fromParts(parts: readonly number[]): CudnnVersion | null {
  const [major, minor, patch, build] = parts;
  if (major === undefined || major < 1 || major > 99) return null;
  return { major, minor: minor ?? null, patch: patch ?? null, build: build ?? null };
}

function toParts(version: CudnnVersion): readonly number[] {
  const parts = [version.major];
  for (const part of [version.minor, version.patch, version.build]) {
    if (part === null) break;
    parts.push(part);
  }
  return parts;
}

/** Total order; a version that ends earlier comes before its continuations. */
export function compareCudnn(a: CudnnVersion, b: CudnnVersion): number {
  return compareParts(toParts(a), toParts(b));
}

/** Dotted, with the parts that are known. */
export function formatCudnn(version: CudnnVersion): string {
  return toParts(version).join('.');
}
