// Tables whose columns stand below their heads, as kubectl, docker and crictl print them.
//
// NAME      READY   STATUS             RESTARTS      AGE
// train-0   0/1     CrashLoopBackOff   4 (10s ago)   3m

/** A head of a table: its text and where it begins. */
export interface Column {
  readonly name: string;
  readonly start: number;
}

/** The columns of a head line; heads are parted by two blanks or more, and may hold one. */
export function columnsOf(head: string): readonly Column[] {
  const columns: Column[] = [];
  let at = 0;
  for (const part of head.split(/ {2,}|\t/)) {
    const start = head.indexOf(part, at);
    if (part.trim() !== '') columns.push({ name: part.trim(), start });
    at = start + part.length;
  }
  return columns;
}

/**
 * The cells of a row by the names of their columns; null where the row does not stand below the heads.
 * The last column takes the rest of the row.
 */
export function cellsBelow(columns: readonly Column[], row: string): ReadonlyMap<string, string> | null {
  if (row.trim() === '') return null;
  const parts = row.trim().split(/ {2,}|\t/);
  // As many parts as heads: no cell is empty and none is wider than its column.
  if (parts.length === columns.length) return new Map(columns.map((column, i) => [column.name, parts[i]!.trim()]));
  const cells = new Map<string, string>();
  for (const [i, { name, start }] of columns.entries()) {
    const end = columns[i + 1]?.start;
    if (start > 0 && start < row.length && row[start - 1] !== ' ' && row[start] !== ' ') return null;
    cells.set(name, row.slice(start, end).trim());
  }
  return cells;
}
