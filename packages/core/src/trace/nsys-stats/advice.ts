import type { AdviceRow, TraceQuote } from '../model.ts';
import { memoryOf } from './operations.ts';
import { sizeOfCell, statNumber, timeOfCell } from './quantity.ts';
import type { StatColumn, StatHead, StatRow } from './tables.ts';

/*
 * What the rules of `nsys analyze` list (cuda_memcpy_async, cuda_memcpy_sync, cuda_memset_sync, cuda_api_sync, gpu_gaps,
 * gpu_time_util; up to 2022 cuda-async-memcpy, cuda-sync-memcpy, cuda-sync-memset, cuda-sync-api, gpu-starvation,
 * gpu-low-utilization). Which rule it is is told by the columns: names of rules and of their files changed. Each lists the
 * longest only, 50 unless told otherwise. Nsight Systems user guide, expert systems.
 */

/** True for the columns of such a list. */
export function isAdviceHead(columns: readonly StatColumn[]): boolean {
  const has = (name: string): boolean => columns.some((column) => column.name === name);
  return (
    has('duration') &&
    has('start') &&
    !has('corrid') &&
    (has('api name') || (has('device id') && has('pid') && !has('name')))
  );
}

/** The rows of such a list; null for another table. */
export function adviceOf(
  head: StatHead,
  rows: readonly StatRow[],
  quote: (row: StatRow) => TraceQuote,
): readonly AdviceRow[] | null {
  if (!isAdviceHead(head.columns)) return null;
  const at = (...names: readonly string[]): number => head.columns.findIndex(({ name }) => names.includes(name));
  const [start, duration, call, source, target] = [
    at('start'),
    at('duration'),
    at('api name'),
    at('src kind'),
    at('dst kind'),
  ];
  const [bytes, use, memory] = [at('bytes'), at('in-use'), at('memory kind')];
  const rule =
    source >= 0 && target >= 0 ? 'copy' : memory >= 0 ? 'memset' : call >= 0 ? 'wait' : use >= 0 ? 'use' : 'gap';
  return rows.flatMap((row): AdviceRow[] => {
    const [startNs, durationNs] = [start, duration].map((column) =>
      timeOfCell(row.cells[column], head.columns[column]!.unit),
    );
    if (startNs == null || durationNs == null || durationNs < 0) return [];
    return [
      {
        rule,
        startNs,
        durationNs,
        call: row.cells[call]?.trim().replace(/\s.*$/s, '') ?? '',
        from: memoryOf(row.cells[source]),
        to: memoryOf(row.cells[target]),
        bytes: bytes < 0 ? null : sizeOfCell(row.cells[bytes], head.columns[bytes]!.unit),
        usePercent: use < 0 ? null : statNumber(row.cells[use]?.replace('%', '')),
        quote: quote(row),
      },
    ];
  });
}
