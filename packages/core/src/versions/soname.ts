import { compareParts, parseDotted } from './numeric.ts';

/** File name of a shared library: `libcudart.so.12`, `libcuda.so.570.124.06`, `libcudnn.so`. */
export interface Soname {
  /** Without `lib` and `.so`: `cudart`. */
  readonly library: string;
  /** Numbers after `.so.`; empty where there are none. */
  readonly version: readonly number[];
  /** The version as printed, zeros kept; null where there is none. */
  readonly versionText: string | null;
}

/** Reads a file name or a path to one. Null where it is no versioned or plain shared library. */
export function parseSoname(input: string): Soname | null {
  const name = input.slice(input.lastIndexOf('/') + 1).trim();
  if (!name.startsWith('lib') || name.length > 128) return null;
  const at = name.indexOf('.so');
  if (at < 4) return null;
  const library = name.slice(3, at);
  const rest = name.slice(at + 3);
  if (rest === '') return { library, version: [], versionText: null };
  if (!rest.startsWith('.')) return null;
  const version = parseDotted(rest.slice(1), 4);
  return version === null ? null : { library, version, versionText: rest.slice(1) };
}

/** By library name, then by number. A total order. */
export function compareSoname(a: Soname, b: Soname): number {
  if (a.library !== b.library) return a.library < b.library ? -1 : 1;
  return compareParts(a.version, b.version);
}

/** The file name. */
export function formatSoname(soname: Soname): string {
  return soname.versionText === null ? `lib${soname.library}.so` : `lib${soname.library}.so.${soname.versionText}`;
}
