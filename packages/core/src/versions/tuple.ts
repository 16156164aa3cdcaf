import { parseDotted } from './numeric.ts';

/** Reads what Python prints for a version tuple: `(2, 21, 5)`. Null for anything else. */
export function parseTuple(text: string, most: number): readonly number[] | null {
  if (!text.startsWith('(') || !text.endsWith(')') || text.length > 64) return null;
  const parts = text
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  return parseDotted(parts.join('.'), most);
}
