/** Dotted decimal numbers, the base of most version schemes here. */

/**
 * Reads `12.4.1` to `[12, 4, 1]`. Between one and `most` parts of at most nine digits each; anything else is null.
 * No sign, no space, no empty part.
 */
export function parseDotted(text: string, most: number): readonly number[] | null {
  if (text.length === 0 || text.length > 64) return null;
  const numbers: number[] = [];
  let value = 0;
  let digits = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? dot : text.charCodeAt(at);
    if (code === dot) {
      if (digits === 0 || digits > 9 || numbers.length === most) return null;
      numbers.push(value);
      value = 0;
      digits = 0;
    } else if (code >= 48 && code <= 57) {
      value = value * 10 + code - 48;
      digits += 1;
    } else return null;
  }
  return numbers;
}

const dot = 46;

/** Reads one to nine decimal digits, else null. */
export function parseDigits(text: string): number | null {
  if (text.length === 0 || text.length > 9) return null;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return null;
  }
  return Number(text);
}

/** Part by part; a version that ends earlier comes before its continuations (`12.4` before `12.4.0`). A total order. */
export function compareParts(a: readonly number[], b: readonly number[]): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    if (x !== y) return x < y ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** As `compareParts`, but missing parts count as 0: `12.4` equals `12.4.0`. */
export function comparePadded(a: readonly number[], b: readonly number[]): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
