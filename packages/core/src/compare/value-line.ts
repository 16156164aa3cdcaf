import type { Evidence } from '../model/document.ts';

const words: Readonly<Record<string, RegExp>> = {
  yes: /\b(?:yes|enabled|active|true|on|1)\b/i,
  no: /\b(?:no|not active|disabled|inactive|false|off|0)\b/i,
  'above 0': /(?<![\d.])[1-9]\d{0,14}\s{0,4}$/,
};

/**
 * Of the lines that a fact was read from, the one that holds a value: a fact of one GPU gathers lines of many values.
 * @param id of the feature; the words of its last part are looked for too: `gpu.pcie.generationMax` in `Max : 5`
 */
export function lineOf(lines: readonly Evidence[], id: string, value: string | number): Evidence {
  const [first] = lines;
  if (lines.length < 2) return first!;
  const field = id.slice(id.lastIndexOf('.') + 1).replace(/\[.{0,200}$/, '');
  const named = field.split(/(?=[A-Z])|[-_ ]/).map((word) => word.toLowerCase());
  const score = ({ text }: Evidence): number => {
    const shown = text.toLowerCase();
    const names = named.filter((word) => word.length > 2 && shown.includes(word)).length;
    // Of `current` and `max` only one is meant.
    const off = /\bmax/.test(shown) && !named.includes('max') && named.length === 1 ? 1 : 0;
    return (holds(shown, value) ? 100 : 0) + 2 * names - off;
  };
  let best = first!;
  let most = score(best);
  for (const line of lines.slice(1)) {
    const own = score(line);
    if (own > most) [best, most] = [line, own];
  }
  return best;
}

/** The value stands in the text by itself, whatever unit follows. */
function holds(text: string, value: string | number): boolean {
  const pattern = words[String(value)];
  if (pattern !== undefined) return pattern.test(text);
  const wanted = String(value).toLowerCase();
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + wanted.length);
    const open = typeof value === 'number' ? /^(?:\.0{1,4})?(?![\d.]\d|\d)/.test(after) : !/^\w/.test(after);
    // The release in `libcuda.so.570.124.06`, not the end of a longer one.
    if (!/\w$|\d\.$/.test(before) && open) return true;
  }
  return false;
}
