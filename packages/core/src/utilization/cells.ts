// Cells of tables as numbers.

/** Place of the first character that is no blank; -1 where there is none. */
export function firstOf(text: string): number {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 32) return at;
  return -1;
}

/** A plain number without a sign; NaN for `-`, `N/A`, `ERR!` and all else. */
export function unsigned(text: string, from: number, to: number): number {
  if (from >= to || to - from > 15) return to - from > 15 ? quantity(text.slice(from, to)) : Number.NaN;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return quantity(text.slice(from, to));
    value = value * 10 + digit;
  }
  return value;
}

/** A number with its unit behind it, or a mask: `81559 MiB`, `0x4`. */
export function quantity(text: string): number {
  if (/^0x[\da-f]{1,16}$/i.test(text)) return Number.parseInt(text, 16);
  const match = /^(\d{1,15}(?:\.\d{1,9})?)(?: ?(?:%|[A-Za-z]{1,4}(?:\/s)?))?$/.exec(text);
  return match === null ? Number.NaN : Number(match[1]);
}
