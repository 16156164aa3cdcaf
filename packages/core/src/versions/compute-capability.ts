/** Compute capability, with the suffix of architecture- or family-specific code. */
export interface ComputeCapability {
  readonly major: number;
  readonly minor: number;
  /** `a`: this one GPU kind only. `f`: its family. Empty: portable by the usual rules. */
  readonly suffix: '' | 'a' | 'f';
}

/** A target of GPU code: machine code (`sm_90a`) or PTX (`compute_90`). */
export interface CodeTarget {
  readonly kind: 'sass' | 'ptx';
  readonly target: ComputeCapability;
}

const shape = /^(?:(\d{1,2})\.(\d)|(\d{2,3}))([af]?)$/;

/**
 * Reads `9.0`, `9.0a`, `90`, `120`, `sm_90a`, `sm90`, `compute_100f`, `SM 8.9`. Null for anything else. The last digit
 * of the compact forms is the minor.
 */
export function parseComputeCapability(input: string): ComputeCapability | null {
  let text = input.trim().toLowerCase();
  if (text.length === 0 || text.length > 24) return null;
  for (const prefix of ['compute', 'lto', 'sm']) {
    if (text.startsWith(prefix)) {
      text = text.slice(prefix.length);
      if (text.startsWith('_') || text.startsWith('-') || text.startsWith(' ')) text = text.slice(1).trimStart();
      break;
    }
  }
  const match = shape.exec(text);
  if (match === null) return null;
  const compact = match[3];
  const major = compact === undefined ? Number(match[1]) : Number(compact.slice(0, -1));
  const minor = compact === undefined ? Number(match[2]) : Number(compact.slice(-1));
  if (major < 1) return null;
  return { major, minor, suffix: (match[4] ?? '') as '' | 'a' | 'f' };
}

/** Reads a target with its kind, `sm_90a` or `compute_90`. Null where the kind is not named. */
export function parseCodeTarget(input: string): CodeTarget | null {
  const text = input.trim().toLowerCase();
  const kind = text.startsWith('sm') ? 'sass' : text.startsWith('compute') ? 'ptx' : null;
  const target = kind === null ? null : parseComputeCapability(text);
  return kind === null || target === null ? null : { kind, target };
}

/** Total order: by number, then no suffix, `a`, `f`. */
export function compareComputeCapability(a: ComputeCapability, b: ComputeCapability): number {
  return Math.sign(smNumber(a) - smNumber(b)) || (a.suffix === b.suffix ? 0 : a.suffix < b.suffix ? -1 : 1);
}

/** `9.0`, `9.0a`. */
export function formatComputeCapability(value: ComputeCapability): string {
  return `${value.major}.${value.minor}${value.suffix}`;
}

/** The number in target names: 90 for 9.0, 121 for 12.1. */
export function smNumber(value: ComputeCapability): number {
  return value.major * 10 + value.minor;
}

/** `sm_90a` for machine code, `compute_90` for PTX. */
export function formatTarget(kind: 'sass' | 'ptx', value: ComputeCapability): string {
  return `${kind === 'sass' ? 'sm' : 'compute'}_${smNumber(value)}${value.suffix}`;
}
