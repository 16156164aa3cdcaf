/** How a text writes numbers; null where it does not show which sign is which. */
export interface NumberStyle {
  readonly decimal: '.' | ',' | null;
}

const plain = /^[+-]?\d{1,30}(?:[eE][+-]?\d{1,3})?$/;
const digits = /^[+-]?\d[\d.,'\u2019 \u00A0\u2009\u202F]{0,60}$/;
/** Signs that only ever group digits: apostrophes, spaces, no-break and narrow spaces. */
const grouping = /(?<=\d)['\u2019 \u00A0\u2009\u202F](?=\d)/g;

/**
 * Decides once for a whole text which sign separates decimals. A sign that stands twice in a number groups digits, and
 * so does the first of two different ones; one that is followed by other than three digits, or that stands behind a
 * lone zero, separates decimals; in a number that is whole by its nature a sign groups digits.
 * @param texts numbers as printed; `whole` ones count things (cycles, blocks, registers)
 */
export function numberStyle(texts: Iterable<{ readonly text: string; readonly whole: boolean }>): NumberStyle {
  const votes = { '.': 0, ',': 0 };
  for (const { text: printed, whole } of texts) {
    const text = printed.trim().replaceAll(grouping, '');
    if (!digits.test(text) || plain.test(text)) continue;
    const point = text.lastIndexOf('.');
    const comma = text.lastIndexOf(',');
    if (point >= 0 && comma >= 0) {
      votes[point > comma ? '.' : ','] += 10;
      continue;
    }
    const sign = point >= 0 ? '.' : ',';
    const other = sign === '.' ? ',' : '.';
    const first = text.indexOf(sign);
    const last = Math.max(point, comma);
    if (first !== last || (whole && text.length - last === 4)) votes[other] += 10;
    else if (text.length - last !== 4 || /^[+-]?0/.test(text) || last > 3 + (/^[+-]/.test(text) ? 1 : 0))
      votes[sign] += 10;
  }
  if (votes['.'] === votes[',']) return { decimal: null };
  return { decimal: votes['.'] > votes[','] ? '.' : ',' };
}

/**
 * A number as the text writes it; null for what is none, and for one that could be read in two ways.
 * @param whole the number counts things, so that a sign in it groups digits
 */
export function numberOf(printed: string, style: NumberStyle, whole = false): number | null {
  const text = printed.trim().replaceAll(grouping, '');
  if (plain.test(text) || (style.decimal !== ',' && /^[+-]?\d{1,30}\.\d{1,30}[eE][+-]?\d{1,3}$/.test(text)))
    return finite(Number(text));
  if (!digits.test(text)) return null;
  const point = text.lastIndexOf('.');
  const comma = text.lastIndexOf(',');
  let decimal = style.decimal;
  if (decimal === null) {
    if (point >= 0 && comma >= 0) decimal = point > comma ? '.' : ',';
    else {
      const sign = point >= 0 ? '.' : ',';
      const many = text.indexOf(sign) !== text.lastIndexOf(sign);
      const three = text.length - text.lastIndexOf(sign) === 4;
      // `16.384` alone can be sixteen and a bit, or sixteen thousand.
      if (three && !whole && !many) return null;
      decimal = many || (three && whole) ? (sign === '.' ? ',' : '.') : sign;
    }
  }
  const group = decimal === '.' ? ',' : '.';
  const clean = text.replaceAll(group, '');
  if (clean.indexOf(decimal) !== clean.lastIndexOf(decimal)) return null;
  return finite(Number(clean.replace(decimal, '.')));
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
