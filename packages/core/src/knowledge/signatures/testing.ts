/** One quantifier of a regular expression. */
export interface Quantifier {
  readonly source: string;
  readonly max: number;
  /** What it repeats is a group that holds a quantifier itself, and both may repeat more than once. */
  readonly nested: boolean;
  /** It repeats a class that takes most characters: `.`, `\S`, `[^…]`. */
  readonly wide: boolean;
}

interface Frame {
  readonly start: number;
  variable: boolean;
}

/**
 * The quantifiers of a pattern, to judge whether it runs in linear time: all of them bounded, none nested.
 * @param source `RegExp.source`
 */
export function quantifiersOf(source: string): readonly Quantifier[] {
  const found: Quantifier[] = [];
  const open: Frame[] = [{ start: 0, variable: false }];
  let atom = '';
  let variable = false;
  let i = 0;
  while (i < source.length) {
    const char = source[i]!;
    const quantifier = /^(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})\??/.exec(source.slice(i, i + 12));
    if (quantifier !== null && atom !== '') {
      const max = maxOf(quantifier[0]);
      found.push({ source: quantifier[0], max, nested: max > 1 && variable, wide: isWide(atom) });
      if (max > 1 && !/^\{(\d+)\}$/.test(quantifier[0])) open[open.length - 1]!.variable = true;
      else if (variable) open[open.length - 1]!.variable = true;
      atom = '';
      variable = false;
      i += quantifier[0].length;
      continue;
    }
    if (variable) open[open.length - 1]!.variable = true;
    variable = false;
    if (char === '\\') {
      atom = source.slice(i, i + 2);
      i += 2;
    } else if (char === '[') {
      const end = classEnd(source, i);
      atom = source.slice(i, end);
      i = end;
    } else if (char === '(') {
      open.push({ start: i, variable: false });
      const head = /^\((?:\?(?:[:=!]|<[=!]|<\w{1,40}>))?/.exec(source.slice(i, i + 48))!;
      atom = '';
      i += head[0].length;
    } else if (char === ')') {
      const frame = open.pop()!;
      atom = source.slice(frame.start, i + 1);
      variable = frame.variable;
      i++;
    } else {
      atom = char === '|' || char === '^' ? '' : char;
      i++;
    }
  }
  return found;
}

function classEnd(source: string, from: number): number {
  let i = from + 1;
  if (source[i] === '^') i++;
  if (source[i] === ']') i++;
  while (i < source.length && source[i] !== ']') i += source[i] === '\\' ? 2 : 1;
  return i + 1;
}

function maxOf(quantifier: string): number {
  const bare = quantifier.length > 1 && quantifier.endsWith('?') ? quantifier.slice(0, -1) : quantifier;
  if (bare === '?') return 1;
  if (bare === '*' || bare === '+') return Number.POSITIVE_INFINITY;
  const bounds = /^\{(\d+)(,(\d*))?\}$/.exec(bare)!;
  if (bounds[2] === undefined) return Number(bounds[1]);
  return bounds[3] === '' ? Number.POSITIVE_INFINITY : Number(bounds[3]);
}

function isWide(atom: string): boolean {
  return (
    atom === '.' ||
    atom === String.raw`\S` ||
    atom === String.raw`\W` ||
    atom === String.raw`\D` ||
    atom.startsWith('[^')
  );
}
