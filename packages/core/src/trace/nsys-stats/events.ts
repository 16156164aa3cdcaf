import type { TraceBuilder } from '../builder.ts';
import { isCollectiveKernel, operationOfKernel } from '../kineto/collective-names.ts';
import { workKinds } from '../model.ts';
import type { TraceQuote } from '../model.ts';
import { memoryOf, operationOf } from './operations.ts';
import type { StatHead, StatRow } from './tables.ts';
import { sizeOfCell, statNumber, timeOfCell } from './quantity.ts';

/**
 * Rows of `cuda_gpu_trace` (2022: `gputrace`), `cuda_api_trace` and `nvprof --print-gpu-trace` as events.
 * @returns how a row is taken; null for a table that is neither
 */
export function eventsOf(
  head: StatHead,
  builder: TraceBuilder,
  quote: (row: StatRow) => TraceQuote,
): ((row: StatRow) => void) | null {
  const at = (...names: readonly string[]): number => head.columns.findIndex(({ name }) => names.includes(name));
  const [startAt, durationAt, nameAt] = [at('start'), at('duration'), at('name')];
  if (startAt < 0 || durationAt < 0 || nameAt < 0) return null;
  const [stream, correlation] = [at('strm', 'stream'), at('corrid', 'correlation id')];
  const number = (row: StatRow, column: number): number | null => (column < 0 ? null : statNumber(row.cells[column]));
  const time = (row: StatRow, column: number): number | null => {
    const value = timeOfCell(row.cells[column], head.columns[column]!.unit);
    return value === null ? null : Math.round(value);
  };
  const quoted = (key: string, row: StatRow): void => {
    if (!builder.quotes.has(key) && builder.quotes.size < 4096) builder.quotes.set(key, quote(row));
  };
  if (stream < 0) {
    const [pid, tid] = [at('pid'), at('tid')];
    if (pid < 0 || tid < 0) return null;
    return (row) => {
      const [start, duration] = [time(row, startAt), time(row, durationAt)];
      const text = row.cells[nameAt]?.trim() ?? '';
      if (start === null || duration === null || !/^(?:cuda|cu|hip)[A-Z]/.test(text)) return;
      const name = builder.name(text);
      const thread = builder.thread(number(row, pid) ?? 0, number(row, tid) ?? 0);
      builder.call(start, start + duration, name, thread, number(row, correlation) ?? -1);
      quoted(`call:${name}`, row);
    };
  }
  const [device, context] = [at('device'), at('ctx', 'context')];
  const sized = [at('bytes', 'size'), at('unified memory')];
  const [source, target] = [at('srcmemkd', 'srcmemtype'), at('dstmemkd', 'dstmemtype')];
  const shape = [
    at('grdx', 'grid x'),
    at('grdy', 'grid y'),
    at('grdz', 'grid z'),
    at('blkx', 'block x'),
    at('blky', 'block y'),
    at('blkz', 'block z'),
  ];
  const [grid, block] = [at('grid size'), at('block size')];
  const [registers, fixed, dynamic] = [
    at('reg/trd', 'regs*', 'registers per thread'),
    at('stcsmem', 'ssmem*', 'static smem'),
    at('dymsmem', 'dsmem*', 'dynamic smem'),
  ];
  const size = (row: StatRow, column: number): number | null =>
    column < 0 ? null : sizeOfCell(row.cells[column], head.columns[column]!.unit);
  const sizes = (row: StatRow): readonly (number | null)[] =>
    grid < 0 || block < 0
      ? shape.map((column) => number(row, column))
      : [...tripleOf(row.cells[grid]), ...tripleOf(row.cells[block])];
  return (row) => {
    const [start, duration] = [time(row, startAt), time(row, durationAt)];
    if (start === null || duration === null) return;
    // nvprof puts the number of the call behind the name: `step(float*, int) [117]`.
    const text = (row.cells[nameAt] ?? '').trim().replace(/ \[\d{1,10}\]$/, '') || '(without a name)';
    const operation = operationOf(text);
    // Page faults and the like are no work.
    if (operation === null && text.startsWith('[')) return;
    // `NVIDIA H100 80GB HBM3 (0)`
    const gpu = /^(.{0,120}?) ?\((\d{1,4})\)$/.exec(row.cells[device]?.trim() ?? '');
    const onDevice = builder.device(Number(gpu?.[2] ?? 0), gpu === null ? {} : { name: gpu[1]! });
    const onStream = builder.stream(onDevice, 0, number(row, context), number(row, stream) ?? 0);
    const name = builder.name(text);
    const dimensions = sizes(row);
    let detail = -1;
    if (operation === null) {
      if (dimensions.every((each) => each !== null)) {
        const [x, y, z, bx, by, bz] = dimensions as [number, number, number, number, number, number];
        detail = builder.shape({
          grid: [x, y, z],
          block: [bx, by, bz],
          registers: number(row, registers),
          staticShared: size(row, fixed),
          dynamicShared: size(row, dynamic),
        });
      }
    } else if (operation !== 'memset') {
      detail = builder.route({
        direction: operation,
        from: memoryOf(row.cells[source]),
        to: memoryOf(row.cells[target]),
        migrationCause: null,
      });
    }
    builder.work(
      {
        kind: operation === null ? workKinds.kernel : operation === 'memset' ? workKinds.memset : workKinds.copy,
        start,
        end: start + duration,
        stream: onStream,
        name,
        correlation: number(row, correlation) ?? -1,
        detail,
        bytes: operation === null ? 0 : (sized.map((column) => size(row, column)).find((each) => each !== null) ?? 0),
        graphNode: 0,
      },
      operation === null && isCollectiveKernel(text)
        ? { operation: operationOfKernel(text), group: null, elements: null, type: null }
        : null,
    );
    quoted(`work:${name}:${onStream}`, row);
  };
}

/** `(64 1 1)`, `64    1    1`; nothing where a cell has another form. */
export function tripleOf(cell: string | undefined): readonly (number | null)[] {
  const parts = (cell ?? '').replaceAll(/[(),]/g, ' ').trim().split(/\s+/);
  return parts.length === 3 ? parts.map((part) => statNumber(part)) : [null, null, null];
}
