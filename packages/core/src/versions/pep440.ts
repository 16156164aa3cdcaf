import { compare, explain } from '@renovatebot/pep440';

/** Python package version. Wraps the PEP 440 reader of a public library and adds what wheels put into the local part. */
export interface WheelVersion {
  /** Public part, normalised: `2.7.0`, `2.8.0.dev20250601`. */
  readonly public: string;
  /** Local part: `cu128`, `cpu`, `rocm6.3`; null where there is none. */
  readonly local: string | null;
  readonly release: readonly number[];
  readonly prerelease: boolean;
}

/** Reads a version as pip prints it. Null for anything that PEP 440 does not know. */
export function parseWheelVersion(input: string): WheelVersion | null {
  const text = input.trim();
  if (text.length === 0 || text.length > 100) return null;
  const parsed = explain(text);
  if (parsed === null) return null;
  return {
    public: parsed.public,
    local: localOf(text),
    release: parsed.release,
    prerelease: parsed.is_prerelease || parsed.is_devrelease,
  };
}

function localOf(text: string): string | null {
  const plus = text.indexOf('+');
  return plus < 0 ? null : text.slice(plus + 1).toLowerCase();
}

/** Total order of PEP 440: dev, alpha, beta, rc, release, post; the local part last. */
export function compareWheelVersion(a: WheelVersion, b: WheelVersion): number {
  return Math.sign(compare(formatWheelVersion(a), formatWheelVersion(b)));
}

/** `2.7.0+cu128`. */
export function formatWheelVersion(version: WheelVersion): string {
  return version.local === null ? version.public : `${version.public}+${version.local}`;
}

/**
 * Build variant that a local part names: `cu128`, `cpu`, `rocm6.3`, `xpu`. Longer local parts (`cu128.post1`,
 * `cu12torch2.5cxx11abiFALSE`) give their leading variant. Null where none is recognised.
 */
export function variantOf(version: WheelVersion): string | null {
  const local = version.local;
  if (local === null) return null;
  const word = local.split('.')[0] as string;
  if (word === 'cpu' || word === 'xpu') return word;
  if (word.startsWith('rocm')) return local;
  if (!word.startsWith('cu')) return null;
  let end = 2;
  while (end < word.length && word.charCodeAt(end) >= 48 && word.charCodeAt(end) <= 57) end += 1;
  return end > 2 && end <= 6 ? word.slice(0, end) : null;
}

/** Release line of a version, major and minor: `2.7.1` is in line `2.7`. */
export function releaseLine(version: WheelVersion): string {
  return `${version.release[0] ?? 0}.${version.release[1] ?? 0}`;
}
