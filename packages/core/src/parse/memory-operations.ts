import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { cells } from './kernel-profile.ts';

/*
 * nsys stats:
 *  Time (%)  Total Time (ns)  Count  Avg (ns)  …  Operation
 *      88.1       31,882,110  20,000   1,594.1 …  [CUDA memcpy Host-to-Device]
 *  Total (MB)  Count  Avg (MB)  …  Operation
 *      81.920  20,000     0.004 …  [CUDA memcpy Host-to-Device]
 */

interface Sum {
  count: number;
  totalNs: number | null;
  averageBytes: number | null;
  readonly lines: Line[];
}

export const memoryOperations: Parser = {
  id: 'nsight-systems-memory',
  literals: ['[cuda memcpy'],
  keep: { before: 8, after: 0 },
  parse(document, hits, sink) {
    const sums = new Map<string, Sum>();
    for (const line of hits.slice(0, 400)) {
      if (line.prompt || line.told) continue;
      readRow(document.lines, line, sums);
    }
    for (const [kind, sum] of sums) {
      sink.add(
        'profile.copies',
        { kind, count: sum.count, totalNs: sum.totalNs, averageBytes: sum.averageBytes },
        sum.lines,
      );
    }
  },
};

function readRow(lines: readonly Line[], line: Line, sums: Map<string, Sum>): void {
  const kind = /\[CUDA memcpy (Host-to-Device|Device-to-Host|HtoD|DtoH)\]/.exec(line.clean)?.[1];
  if (kind === undefined) return;
  const head = headAbove(lines, line);
  if (head === null) return;
  const csv = head.includes(',') && !head.includes('  ');
  const columns = (csv ? cells(head) : head.trim().split(/\s{2,}/)).map((column) => column.toLowerCase());
  const row = csv ? cells(line.clean) : line.clean.trim().split(/\s{2,}/);
  const at = (pattern: RegExp): number | null => {
    const value = row[columns.findIndex((column) => pattern.test(column))];
    const number = value === undefined ? Number.NaN : Number(value.replaceAll(',', ''));
    return Number.isFinite(number) ? number : null;
  };
  const count = at(/^(?:count|instances|calls)$/);
  if (count === null || count <= 0) return;
  const key = /^(?:Host-to|HtoD)/.test(kind) ? 'h2d' : 'd2h';
  const sum = sums.get(key) ?? { count, totalNs: null, averageBytes: null, lines: [] };
  const time = at(/^total time/);
  const size = at(/^avg \(mb\)/);
  sum.count = Math.max(sum.count, count);
  if (time !== null) sum.totalNs = time;
  if (size !== null) sum.averageBytes = size * 1e6;
  sum.lines.push(line);
  sums.set(key, sum);
}

function headAbove(lines: readonly Line[], line: Line): string | null {
  for (let at = line.index - 1; at >= Math.max(0, line.index - 12); at--) {
    const text = lines[at]?.clean ?? '';
    if (/\b(?:Operation)\b/.test(text) && /Count|Instances|Calls/.test(text)) return text;
  }
  return null;
}
