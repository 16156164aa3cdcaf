import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { StatHead, StatRow } from '../trace/nsys-stats/tables.ts';
import { bytesOf, headAt, nanosecondsOf, rowsBehind, statNumber } from '../trace/nsys-stats/tables.ts';
import { cells } from './kernel-profile.ts';

/*
 * nsys stats, text (columns cut by a rule of dashes) and CSV:
 *  Time (%)  Total Time (ns)  Num Calls  Avg (ns) …  Name
 *      61.2      812,334,110     40,960  19,832.4 …  cudaLaunchKernel
 * cuda_gpu_trace: Start (ns),Duration (ns),…,Strm,Name
 * um_total_sum: Total HtoD Migration Size (MB),…,Total GPU PageFaults,…
 * nvprof: Total … "Gpu page fault groups", "Host To Device"
 * A time line drawn in characters:
 *  Stream 7  (default) |==mm==|          |==mm==|
 *  Stream 14 (s1)              |==mm==|
 */

export const timeProfile: Parser = {
  id: 'nsight-systems',
  literals: [
    'total time (ns)',
    'total time,',
    'duration (ns)',
    'page fault',
    'pagefault',
    'stream 7',
    'default stream',
    '(default)',
    'migration size',
    'total time  ',
    'srcmemkd',
    'pageable  ',
    'cudamemcpyasync',
    'non_blocking',
    'time total:',
  ],
  keep: { before: 2, after: 60 },
  parse(document, hits, sink) {
    const done = new Set<number>();
    for (const line of hits.slice(0, 2000)) {
      if (line.prompt || done.has(line.index)) continue;
      done.add(line.index);
      if (
        /total time(?: \((?:ns|us|ms|s)\))?.{0,300}(?:num calls|instances|count|calls)/i.test(line.clean.slice(0, 400))
      )
        summary(document, line, sink);
      else if (/^\s{0,4}(?:start\b.{0,12}(?:,|\s{2,}))?duration\b.{0,12}(?:,|\s{2,})/i.test(line.clean))
        trace(document, line, sink);
      else if (/\bPageable\b.{0,80}\[CUDA mem/.test(line.clean)) loneCopy(line, sink);
      else if (/\bcudaMemcpyAsync\b|\bnon_blocking ?= ?True\b/.test(line.clean))
        sink.add('profile.metric', { name: 'async-copies', value: 1, kernel: null }, line);
      else if (/\bself (?:cpu|cuda) time total:/i.test(line.clean)) torchTotals(document, line, sink);
      else if (/gpu page ?faults/i.test(line.clean) && /migration size|cpu page ?faults/i.test(line.clean))
        managed(document, line, sink);
      else if (/gpu page fault(?: group)?s?\b/i.test(line.clean)) nvprof(line, sink);
    }
    drawn(document, hits, sink);
  },
};

function numberOf(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null;
  const value = Number(text.replaceAll(',', '').trim());
  return Number.isFinite(value) ? value : null;
}

/** Rows of a pasted table that are read; the longest come first. */
const mostRows = 60;

/** The table that begins with a line, as the reader of whole profiles cuts it; rows with their lines. */
function tableAt(
  document: Document,
  at: number,
  most: number,
): { readonly head: StatHead; readonly rows: readonly (StatRow & { readonly on: Line })[] } | null {
  const texts = document.lines.slice(at, at + most + 12).map((line) => (line.prompt ? '' : line.clean));
  const head = headAt(texts, 0);
  if (head === null) return null;
  const rows: (StatRow & { readonly on: Line })[] = [];
  for (const row of rowsBehind(texts, head)) {
    if (rows.length >= most) break;
    rows.push({ ...row, on: document.lines[at + row.line - 1]! });
  }
  return { head, rows };
}

function summary(document: Document, head: Line, sink: FactSink): void {
  const table = tableAt(document, head.index, mostRows);
  if (table === null) return;
  const columns = table.head.columns;
  const at = (...names: readonly string[]): number => columns.findIndex(({ name }) => names.includes(name));
  const [totalAt, countAt, instancesAt] = [
    at('total time'),
    at('num calls', 'instances', 'calls', 'count'),
    at('instances'),
  ];
  // Ranges that a program names are no kernels, though they are counted the same way.
  if (totalAt < 0 || countAt < 0 || at('range', 'category') >= 0) return;
  const scale = nanosecondsOf(columns[totalAt]!.unit);
  let [instances, total] = [0, 0];
  const proof: Line[] = [];
  for (const { cells: row, on } of table.rows) {
    const [count, time] = [statNumber(row[countAt]), statNumber(row[totalAt])];
    if (count === null || time === null) continue;
    const name = (row.at(-1) ?? '').trim();
    if (instancesAt >= 0) {
      instances += count;
      total += time * scale;
      if (proof.length < 2) proof.push(on);
    } else if (/^(?:cuda|cu)[A-Z]/.test(name)) {
      sink.add('profile.api', { name: name.replace(/_v\d+$/, ''), calls: count, totalNs: time * scale }, on);
    }
  }
  if (proof.length > 0) sink.add('profile.kernels', { instances, totalNs: total }, proof);
}

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly isDefault: boolean;
  readonly line: Line;
}

/** Cells of a row, by commas where the table is CSV, else by runs of spaces. */
function cellsOf(text: string, csv: boolean): readonly string[] {
  return csv ? cells(text) : text.trim().split(/\s{2,}/);
}

/** A trace of kernels and copies: one row each, in CSV or in columns. */
function trace(document: Document, head: Line, sink: FactSink): void {
  const csv = head.clean.includes(',');
  const columns = cellsOf(head.clean, csv).map((column) => column.toLowerCase());
  const find = (pattern: RegExp): number => columns.findIndex((column) => pattern.test(column));
  const [startAt, durationAt, streamAt, rateAt] = [
    find(/^start/),
    find(/^duration/),
    find(/^(?:strm|stream)$/),
    find(/^throughput/),
  ];
  const [sourceAt, targetAt] = [find(/^src ?mem/), find(/^dst ?mem/)];
  const blockAt = [find(/^blkx$/), find(/^blky$/), find(/^blkz$/)];
  const scale = (columns[rateAt] ?? '').includes('gb/s') ? 1 : 1000;
  const intervals: Interval[] = [];
  for (const line of document.lines.slice(head.index + 1, head.index + 5001)) {
    if (/^\s*-{3,}/.test(line.clean)) continue;
    if (line.prompt) break;
    const row = cellsOf(line.clean, csv);
    const name = (row.at(-1) ?? '').trim();
    const start = numberOf(row[startAt]);
    const duration = numberOf(row[durationAt]);
    // Rows of a table in columns leave empty cells out; only full rows have every cell in its place.
    const full = row.length >= columns.length - (csv ? 1 : 0);
    if (duration === null && start === null) break;
    if (full && sourceAt >= 0)
      copy(line, [row[sourceAt], row[targetAt]], rateAt < 0 ? null : numberOf(row[rateAt]), scale, sink);
    if (name.startsWith('[CUDA mem')) continue;
    const stream = full ? numberOf(row[streamAt]) : null;
    // Stream 7 is the number under which Nsight Systems shows the legacy default stream.
    if (start !== null && duration !== null && stream !== null) {
      intervals.push({ from: start, to: start + duration, isDefault: stream === 7, line });
    }
    const block = blockAt.map((at) => (at < 0 ? 1 : numberOf(row[at])));
    const size =
      block.every((each) => each !== null) && blockAt[0]! >= 0
        ? block.reduce<number>((product, each) => product * (each ?? 1), 1)
        : 0;
    if (full && size > 0) sink.add('profile.metric', { name: 'block-size', value: size, kernel: name }, line);
  }
  streams(intervals, sink);
}

function copy(
  line: Line,
  kinds: readonly (string | undefined)[],
  rate: number | null,
  scale: number,
  sink: FactSink,
): void {
  const memory = kinds.includes('Pageable') ? 'pageable' : kinds.includes('Pinned') ? 'pinned' : null;
  if (memory === 'pageable') sink.add('profile.metric', { name: 'pageable-copies', value: 1, kernel: null }, line);
  if (memory !== null && rate !== null && rate > 0) {
    sink.add(
      'profile.bandwidth',
      { memory, direction: kinds[0] === 'Device' ? 'd2h' : 'h2d', gbPerSecond: rate / scale },
      line,
    );
  }
}

const timeUnits: Readonly<Record<string, number>> = { ns: 1, us: 1e3, μs: 1e3, ms: 1e6, s: 1e9 };

function timeOf(text: string | undefined): number | null {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(ns|us|μs|ms|s)$/.exec((text ?? '').trim());
  return match === null ? null : Number(match[1]) * timeUnits[match[2]!]!;
}

/** One row of a trace without its header, as `grep` leaves it. */
function loneCopy(line: Line, sink: FactSink): void {
  sink.add('profile.metric', { name: 'pageable-copies', value: 1, kernel: null }, line);
  const rate = /\b(\d{1,4}(?:\.\d{1,5})?)GB\/s\b/.exec(line.clean);
  if (rate !== null) {
    sink.add(
      'profile.bandwidth',
      {
        memory: 'pageable',
        direction: /Device\s{1,12}Pageable/.test(line.clean) ? 'd2h' : 'h2d',
        gbPerSecond: Number(rate[1]),
      },
      line,
    );
  }
}

/** PyTorch profiler table: what launching costs on the CPU, and how long kernels run in all. */
function torchTotals(document: Document, line: Line, sink: FactSink): void {
  const total = /self cuda time total: {0,4}(\S{1,24})/i.exec(line.clean)?.[1];
  const kernels = timeOf(total);
  if (kernels === null) return;
  for (const row of document.lines.slice(Math.max(0, line.index - 400), line.index)) {
    const columns = row.clean.trim().split(/\s{2,}/);
    if (!(columns[0] ?? '').startsWith('cudaLaunchKernel')) continue;
    const cpu = columns.map(timeOf).find((each) => each !== null && each > 0);
    const calls = numberOf(columns.at(-1));
    if (cpu === undefined || cpu === null || calls === null) continue;
    sink.add('profile.api', { name: 'cudaLaunchKernel', calls, totalNs: cpu }, row);
    sink.add('profile.kernels', { instances: calls, totalNs: kernels }, line);
    return;
  }
}

/** Says how the default stream and the others lie in time; nothing where only one side has work. */
function streams(intervals: readonly Interval[], sink: FactSink): void {
  const onDefault = intervals.filter((each) => each.isDefault);
  const others = intervals.filter((each) => !each.isDefault);
  if (onDefault.length === 0 || others.length === 0) return;
  const sorted = [...intervals].sort((a, b) => a.from - b.from);
  let overlapping = 0;
  let open: Interval[] = [];
  for (const each of sorted) {
    open = open.filter((earlier) => earlier.to > each.from);
    if (open.some((earlier) => earlier.isDefault !== each.isDefault)) overlapping++;
    open.push(each);
    if (open.length > 64) open.shift();
  }
  sink.add('profile.streams', { onDefault: onDefault.length, onOthers: others.length, overlapping }, [
    onDefault[0]!.line,
    others[0]!.line,
  ]);
}

/** Time lines drawn in characters: a label with a stream, then bars. */
function drawn(document: Document, hits: readonly Line[], sink: FactSink): void {
  const lines = new Set<Line>();
  for (const hit of hits.slice(0, 200)) {
    for (const line of document.lines.slice(Math.max(0, hit.index - 4), hit.index + 5)) {
      if (/^\s{0,8}#?\s{0,4}(?:default stream|stream|legacy|s\d|per-thread)\b[^|[=#]{0,40}[|[=#]/i.test(line.clean))
        lines.add(line);
    }
  }
  const intervals: Interval[] = [];
  for (const line of lines) {
    const label = /^[^|[=#]{0,60}/.exec(line.clean.replace(/^\s{0,8}#/, ' '))?.[0] ?? '';
    const isDefault = /default|legacy|stream 7\b|stream 0\b/i.test(label) && !/per-thread|non-default/i.test(label);
    const body = ' '.repeat(label.length) + line.clean.slice(label.length);
    for (const bar of body.matchAll(/[|[]?[=#x\-_a-z*]{2,80}[\]|]?/gi)) {
      if (/[=#*]|--/.test(bar[0]) || /^[|[].{2,80}[\]|]$/.test(bar[0]))
        intervals.push({ from: bar.index, to: bar.index + bar[0].length, isDefault, line });
    }
  }
  streams(intervals, sink);
}

function managed(document: Document, head: Line, sink: FactSink): void {
  const table = tableAt(document, head.index, 100);
  if (table === null) return;
  const at = (pattern: RegExp): number => table.head.columns.findIndex(({ name }) => pattern.test(name));
  const [faultsAt, inAt, outAt] = [at(/gpu page ?faults/), at(/htod migration size/), at(/dtoh migration size/)];
  let faults: number | null = null;
  let moved: number | null = null;
  const megabytes = (column: number): number => bytesOf(table.head.columns[column]?.unit ?? null) / 1e6;
  for (const { cells: row } of table.rows) {
    const [count, up, down] = [statNumber(row[faultsAt]), statNumber(row[inAt]), statNumber(row[outAt])];
    if (count !== null) faults = (faults ?? 0) + count;
    if (up !== null || down !== null)
      moved = (moved ?? 0) + (up ?? 0) * megabytes(inAt) + (down ?? 0) * megabytes(outAt);
  }
  const proof = table.rows.slice(0, 3).map(({ on }) => on);
  if (proof.length > 0) sink.add('profile.page-faults', { gpuFaults: faults, migratedMb: moved }, proof);
}

function nvprof(line: Line, sink: FactSink): void {
  const count =
    /(?:^|\s)(\d[\d,]{0,14})(?=\s.{0,120}gpu page fault)/i.exec(line.clean) ??
    /gpu page faults?(?: groups?)?\s{0,40}[:=]?\s{0,40}(\d[\d,]{0,14})/i.exec(line.clean);
  const value = numberOf(count?.[1]);
  if (value !== null && value > 0) sink.add('profile.page-faults', { gpuFaults: value, migratedMb: null }, line);
}
