import { recordAt } from '../csv.ts';
import type { Direction, SumRow, TraceQuote } from '../model.ts';
import { operationOf } from './operations.ts';
import { sizeOfCell, statNumber, timeOfCell } from './quantity.ts';

/*
 * Tables of nvprof (CUDA 5 to 12), whose numbers have their units behind them:
 *
 *   ==4242== Profiling result:
 *               Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 *    GPU activities:   80.44%   55.890s    180000  310.50us  149.35us  589.97us  volta_sgemm_128x64_tn
 *         API calls:   97.48%   64.217s      2000  32.108ms  26.297ms  41.741ms  cudaStreamSynchronize
 *
 * Up to CUDA 8 there is no column `Type`, and calls are a table of their own under `==4242== API calls:`. As CSV the units
 * stand in the line behind the head. Managed memory has a table for each GPU. NVIDIA profiler user's guide.
 */

/** What a table of nvprof tells. */
export interface NvprofTable {
  readonly kernels: readonly SumRow[];
  readonly calls: readonly SumRow[];
  readonly copies: readonly SumRow[];
  readonly sizes: readonly {
    readonly direction: Direction;
    readonly count: number;
    readonly bytes: number;
    readonly quote: TraceQuote;
  }[];
  /** Groups of page faults of the GPU, and the time that they took. */
  readonly faults: { readonly ns: number; readonly quote: TraceQuote } | null;
  readonly gpu: string | null;
  /** Index of the line behind it. */
  readonly next: number;
}

const longest = 4096;
const mostRows = 20_000;
const summaryHead = /\bTime\(%\)["\s,]{1,24}Time["\s,]{1,24}Calls["\s,]{1,24}Avg["\s,]/;
const memoryHead = /\bCount["\s,]{1,24}Avg Size["\s,]{1,24}Min Size["\s,]/;
const row =
  /(?:^|\s)\d{1,3}(?:\.\d{1,6})?%\s{1,24}(\S{1,24})\s{1,24}(\d{1,15})\s{1,24}(\S{1,24})\s{1,24}(\S{1,24})\s{1,24}(\S{1,24})\s{1,8}(\S.{0,4000})$/;
const sections = /(GPU activities|API calls|OpenACC|OpenMP)\b[^:]{0,24}:/;

type Section = 'gpu' | 'api' | 'other';

/** True for the head of a table of nvprof. */
export function isNvprofHead(line: string): boolean {
  return line.length <= longest && (summaryHead.test(line) || memoryHead.test(line));
}

/** The table that begins with a line; null where none does. @param quote of a line by its index */
export function nvprofTableAt(
  lines: readonly string[],
  at: number,
  quote: (line: number) => TraceQuote,
): NvprofTable | null {
  const head = lines[at]!;
  if (head.length > longest) return null;
  if (summaryHead.test(head)) return summaryAt(lines, at, quote);
  return memoryHead.test(head) ? memoryAt(lines, at, quote) : null;
}

function sectionOf(text: string): Section | null {
  const label = sections.exec(text.slice(0, 200))?.[1];
  return label === undefined ? null : label === 'GPU activities' ? 'gpu' : label === 'API calls' ? 'api' : 'other';
}

interface Cut {
  readonly section: Section | null;
  readonly total: number | null;
  readonly count: number | null;
  readonly most: number | null;
  readonly name: string;
}

function summaryAt(lines: readonly string[], at: number, quote: (line: number) => TraceQuote): NvprofTable | null {
  const found = empty(at + 1);
  const { kernels, calls, copies } = found;
  let section: Section = 'gpu';
  for (let above = at - 1; above >= Math.max(0, at - 3); above--)
    section = sectionOf(lines[above]!.slice(0, 200)) ?? section;
  const isCsv = lines[at]!.includes(',');
  const units = isCsv ? unitsAt(lines, at + 1) : null;
  if (units !== null) found.next++;
  const names = isCsv ? cellsAt(lines, at).map((cell) => cell.toLowerCase()) : [];
  while (found.next < lines.length && kernels.length + calls.length + copies.length < mostRows) {
    const text = lines[found.next]!;
    const cut = isCsv ? csvRow(cellsAt(lines, found.next), names, units) : textRow(text);
    if (cut?.total == null || cut.count === null) {
      // A long list is printed in one piece; a line of another process may stand inside, and mails put an empty line behind each.
      if (/^\s{0,8}(?:={2,}\d{1,10}={2,}|$)/.test(text) && isRowAt(lines, found.next + 1)) {
        found.next++;
        continue;
      }
      break;
    }
    section = cut.section ?? section;
    const sum: SumRow = {
      name: cut.name,
      count: cut.count,
      totalNs: cut.total,
      medianNs: null,
      maxNs: cut.most,
      quote: quote(found.next),
    };
    const operation = operationOf(cut.name);
    if (operation !== null) copies.push({ ...sum, name: operation });
    else if (section === 'api') calls.push(sum);
    else if (section === 'gpu') kernels.push(sum);
    found.next++;
  }
  return kernels.length + calls.length + copies.length === 0 ? null : found;
}

function empty(next: number): {
  kernels: SumRow[];
  calls: SumRow[];
  copies: SumRow[];
  sizes: { direction: Direction; count: number; bytes: number; quote: TraceQuote }[];
  faults: NvprofTable['faults'];
  gpu: string | null;
  next: number;
} {
  return { kernels: [], calls: [], copies: [], sizes: [], faults: null, gpu: null, next };
}

function isRowAt(lines: readonly string[], at: number): boolean {
  return at < lines.length && row.test(lines[at]!.slice(0, longest));
}

function textRow(text: string): Cut | null {
  const cut = row.exec(text.slice(0, longest));
  if (cut === null) return null;
  const section = sectionOf(text.slice(0, cut.index + 1));
  return {
    section,
    total: timeOfCell(cut[1], 'none'),
    count: statNumber(cut[2]),
    most: timeOfCell(cut[5], 'none'),
    name: cut[6]!.trim(),
  };
}

function cellsAt(lines: readonly string[], at: number): readonly string[] {
  const text = lines[at];
  return text === undefined || text.length > longest * 4 || !text.includes(',')
    ? []
    : (recordAt(lines, at, ',')?.cells ?? []);
}

/** The line of units behind a head in CSV; null where it is none. */
function unitsAt(lines: readonly string[], at: number): readonly string[] | null {
  const cells = cellsAt(lines, at);
  const isUnits = cells.some((cell) => cell !== '') && cells.every((cell) => /^(?:|%|ns|us|ms|s|[KMGT]?B)$/.test(cell));
  return isUnits ? cells : null;
}

function csvRow(cells: readonly string[], names: readonly string[], units: readonly string[] | null): Cut | null {
  if (cells.length < 7) return null;
  const at = (name: string): number => names.indexOf(name);
  const time = (name: string): number | null => timeOfCell(cells[at(name)], units?.[at(name)] ?? null);
  const type = at('type') < 0 ? null : sectionOf(`${cells[at('type')] ?? ''}:`);
  return {
    section: type,
    total: time('time'),
    count: statNumber(cells[at('calls')]),
    most: time('max'),
    name: cells[at('name')]?.trim() ?? '',
  };
}

const isFault = /gpu page fault/;
const moves: Readonly<Record<string, Direction>> = {
  'host to device': 'UVM_HtoD',
  'device to host': 'UVM_DtoH',
  'device to device': 'UVM_DtoD',
};

function memoryAt(lines: readonly string[], at: number, quote: (line: number) => TraceQuote): NvprofTable | null {
  const found = empty(at + 1);
  const isCsv = lines[at]!.includes(',');
  const units = isCsv ? unitsAt(lines, at + 1) : null;
  if (units !== null) found.next++;
  const columns = isCsv ? cellsAt(lines, at).map((cell) => cell.toLowerCase()) : [];
  const column = (name: string, otherwise: number): number => (isCsv ? columns.indexOf(name) : otherwise);
  found.gpu = /\bDevice "(.{1,100}?) \(\d{1,4}\)"/.exec(lines[at - 1]?.slice(0, 300) ?? '')?.[1] ?? null;
  for (; found.next < lines.length; found.next++) {
    const text = lines[found.next]!.slice(0, longest);
    const cells = isCsv ? cellsAt(lines, found.next) : text.trim().split(/\s+/);
    if (cells.length < 7) break;
    // Some versions leave the head of the last column empty.
    const name = (isCsv ? (cells.at(-1) ?? '') : cells.slice(6).join(' ')).trim().toLowerCase();
    const [count, size, time] = [column('count', 0), column('total size', 4), column('total time', 5)];
    const ns = timeOfCell(cells[time], units?.[time] ?? 'none');
    const times = statNumber(cells[count]);
    if (ns === null || (times === null && !isFault.test(name))) break;
    const direction = moves[name];
    const own = quote(found.next);
    if (direction !== undefined && times !== null) {
      // A time of 0 was not measured.
      if (ns > 0)
        found.copies.push({ name: direction, count: times, totalNs: ns, medianNs: null, maxNs: null, quote: own });
      const unit = units?.[size];
      const bytes = sizeOfCell(unit === undefined ? cells[size] : `${cells[size] ?? ''}${unit}`, null);
      if (bytes !== null) found.sizes.push({ direction, count: times, bytes, quote: own });
    } else if (isFault.test(name) && ns > 0) found.faults = { ns, quote: own };
  }
  return found.sizes.length === 0 && found.faults === null ? null : found;
}
