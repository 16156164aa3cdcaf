import type { StatColumn, StatHead, StatRow } from './tables.ts';

/** Lines and characters of one table as JSON. */
const mostLines = 500_000;
const mostCharacters = 64 * 1024 * 1024;

/** A table as `nsys stats --format json` prints it: an array of objects, all with the names of the columns. */
export interface JsonTable {
  readonly head: StatHead;
  readonly rows: readonly StatRow[];
  /** Index of the line behind it. */
  readonly next: number;
}

/** True where a table of JSON begins: an array whose first object has the names of a summary or of a list of events. */
export function jsonHeadAt(lines: readonly string[], at: number): boolean {
  const first = lines[at]!;
  if (!/^\s{0,40}\[\s{0,20}(?:\{|$)/.test(first.slice(0, 100))) return false;
  const head = lines
    .slice(at, at + 4)
    .join(' ')
    .slice(0, 4096);
  return /"(?:Time \(%\)|Duration \(\w{1,12}\)|Duration|Total Time \(\w{1,12}\)|Total \(\w{1,8}\)|Start \(\w{1,12}\)|Total HtoD Migration Size \(\w{1,8}\))"/.test(
    head,
  );
}

/** The table that begins with a line; null where none does, or where it is cut off. */
export function jsonTableAt(lines: readonly string[], at: number): JsonTable | null {
  if (!jsonHeadAt(lines, at)) return null;
  let end = at;
  let characters = lines[at]!.length;
  while (!lines[end]!.trimEnd().endsWith(']')) {
    end++;
    if (end >= lines.length || end - at > mostLines || (characters += lines[end]!.length) > mostCharacters) return null;
    // An array that begins before this one ends: it was cut off.
    if (jsonHeadAt(lines, end)) return null;
  }
  let table: unknown;
  try {
    table = JSON.parse(lines.slice(at, end + 1).join('\n'));
  } catch {
    return null;
  }
  if (!Array.isArray(table)) return null;
  const objects = table.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null);
  const names = Object.keys(objects[0] ?? {});
  const columns: readonly StatColumn[] = names.map((name) => {
    const parts = /^(.{1,80}?) ?\(([^()]{1,20})\)$/.exec(name);
    return { name: (parts?.[1] ?? name).toLowerCase(), unit: parts?.[2]?.toLowerCase() ?? null };
  });
  if (columns.length < 2) return null;
  let line = at;
  const rows = objects.map((object) => {
    // Objects stand on lines of their own, or all on one.
    if (end > at) while (line < end && !lines[line]!.includes('{')) line++;
    const row = { line: Math.min(line, end) + 1, cells: names.map((name) => cellOf(object[name])) };
    if (end > at && line < end) line++;
    return row;
  });
  return { head: { columns, next: end + 1, cut: () => null, keys: [] }, rows, next: end + 1 };
}

function cellOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
