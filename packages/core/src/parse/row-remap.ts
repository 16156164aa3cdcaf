import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';

/*
 * nvidia-smi -q:
 *     Remapped Rows
 *         Correctable Error                 : 0
 *         Uncorrectable Error               : 1
 *         Pending                           : Yes
 *         Remapping Failure Occurred        : No
 * nvidia-smi --query-remapped-rows=… --format=csv (header names the columns)
 * dcgm-exporter:
 *     DCGM_FI_DEV_ROW_REMAP_FAILURE{gpu="0",…} 1
 */

const yes = /: {0,4}(?:yes|1|true)\b/i;
const no = /: {0,4}(?:no|0|false)\b/i;

function truth(text: string): boolean | null {
  return yes.test(text) ? true : no.test(text) ? false : null;
}

export const rowRemap: Parser = {
  id: 'row-remap',
  literals: ['remapped rows', 'remapped_rows', 'row_remap_failure', 'row_remap_pending', 'remapping failure occurred'],
  keep: { before: 0, after: 8 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const metric = /^DCGM_FI_DEV_ROW_REMAP_(FAILURE|PENDING)(?:\{[^}]{0,1000}\})? (\d{1,4})(?:\.0)?\b/.exec(
        line.clean,
      );
      if (metric !== null) {
        const set = metric[2] !== '0';
        sink.add(
          'gpu.row-remap',
          metric[1] === 'FAILURE' ? { pending: null, failed: set } : { pending: set, failed: null },
          line,
        );
        continue;
      }
      if (/remapped_rows\.(?:pending|failure)/.test(line.clean)) {
        fromCsv(line, document.lines.slice(line.index + 1, line.index + 17), sink);
        continue;
      }
      if (!/remapped rows/i.test(line.clean)) continue;
      const block = document.lines.slice(line.index + 1, line.index + 9);
      const pending = block.find((each) => /^\s*pending\b/i.test(each.clean));
      const failure = block.find((each) => /remapping failure occurred/i.test(each.clean));
      const lines = [pending, failure].filter((each) => each !== undefined);
      if (lines.length === 0) continue;
      sink.add(
        'gpu.row-remap',
        {
          pending: pending === undefined ? null : truth(pending.clean),
          failed: failure === undefined ? null : truth(failure.clean),
        },
        lines,
      );
    }
  },
};

function fromCsv(header: Line, rows: readonly Line[], sink: Parameters<Parser['parse']>[2]): void {
  const columns = header.clean.split(',').map((column) => column.trim());
  const pendingAt = columns.findIndex((column) => column.startsWith('remapped_rows.pending'));
  const failedAt = columns.findIndex((column) => column.startsWith('remapped_rows.failure'));
  for (const row of rows) {
    const cells = row.clean.split(',').map((cell) => cell.trim());
    if (cells.length !== columns.length) return;
    const at = (index: number): boolean | null => (index < 0 ? null : truth(`: ${cells[index] ?? ''}`));
    const value = { pending: at(pendingAt), failed: at(failedAt) };
    if (value.pending !== null || value.failed !== null) sink.add('gpu.row-remap', value, [row, header]);
  }
}
