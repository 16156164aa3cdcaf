/** A table as `nsys stats` prints it in columns: right-aligned cells over dashes, names to the left. For tests. */
export function columnsOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell)));
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string => ` ${row.map((cell, at) => cell.padStart(widths[at]!)).join('  ')}`;
  return [line(head), ` ${widths.map((width) => '-'.repeat(width)).join('  ')}`, ...cells.map(line), ''].join('\n');
}

type Row = readonly [name: string, count: number, totalNs: number];

function summary(counted: string, named: string, rows: readonly Row[]): string {
  const all = rows.reduce((sum, [, , ns]) => sum + ns, 0);
  return columnsOf(
    ['Time (%)', 'Total Time (ns)', counted, 'Avg (ns)', 'Med (ns)', 'Max (ns)', named],
    rows.map(([name, count, ns]) => [
      ((100 * ns) / all).toFixed(1),
      ns,
      count,
      (ns / count).toFixed(1),
      (ns / count).toFixed(1),
      Math.round((2 * ns) / count),
      name,
    ]),
  );
}

/** The summaries of `nsys stats` for rows of name, count and sum in ns. For tests. */
export const summaries = {
  kernels: (...rows: readonly Row[]): string => summary('Instances', 'Name', rows),
  calls: (...rows: readonly Row[]): string => summary('Num Calls', 'Name', rows),
  copies: (...rows: readonly Row[]): string => summary('Count', 'Operation', rows),
  ranges: (...rows: readonly Row[]): string => summary('Instances', 'Range', rows),
  sizes: (...rows: readonly (readonly [name: string, count: number, mb: number])[]): string =>
    columnsOf(
      ['Total (MB)', 'Count', 'Avg (MB)', 'Operation'],
      rows.map(([name, count, mb]) => [mb.toFixed(3), count, (mb / count).toFixed(3), name]),
    ),
} as const;
