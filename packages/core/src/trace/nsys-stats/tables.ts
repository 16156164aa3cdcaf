import { recordAt } from '../csv.ts';
import { isAdviceHead } from './advice.ts';
import { statNumber, timeOfCell } from './quantity.ts';

export { bytesOf, nanosecondsOf, statNumber } from './quantity.ts';

/*
 * Tables of `nsys stats`, as CSV, tab-separated text, columns over a line of dashes, and boxes:
 *
 *   Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
 *   61.2,812334110,40960,19832.4,8120.0,3911,9411200,81232.7,cudaLaunchKernel
 *
 *    Time (%)  Total Time (ns)  Num Calls   Avg (ns)       Name
 *    --------  ---------------  ---------  ---------  ----------------
 *        61.2      812,334,110     40,960   19,832.4  cudaLaunchKernel
 *
 * Other output stands before and between them. Columns are told from their names: reports were renamed in 2023, and
 * older ones have no median.
 */

/** A column: its name in lower case, and the unit behind it in parentheses. */
export interface StatColumn {
  readonly name: string;
  readonly unit: string | null;
}

/** One row of a table. */
export interface StatRow {
  /** From 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

type Cut = (
  lines: readonly string[],
  at: number,
) => { readonly cells: readonly string[]; readonly lines: number } | null;

/** The head of a table, and how its rows are cut. */
export interface StatHead {
  readonly columns: readonly StatColumn[];
  /** Index of the line behind the head. */
  readonly next: number;
  readonly cut: Cut;
  /** Columns of which a row has a number in at least one. */
  readonly keys: readonly number[];
}

const longest = 4096;
/** Lines between a head and its rows that are no rows: units, notes. */
const mostBetween = 3;

function columnOf(cell: string): StatColumn {
  const text = cell.trim().toLowerCase();
  const open = text.lastIndexOf('(');
  if (open > 0 && text.endsWith(')'))
    return { name: text.slice(0, open).trim(), unit: text.slice(open + 1, -1).trim() };
  return { name: text, unit: null };
}

const counts = new Set(['instances', 'num calls', 'calls', 'count', 'operations', 'range instances']);
const totals = new Set(['total time', 'total range time']);

function isHead(columns: readonly StatColumn[]): boolean {
  const has = (name: string): boolean => columns.some((column) => column.name === name);
  const counted = columns.some(({ name }) => counts.has(name));
  return (
    (columns.some(({ name }) => totals.has(name)) && counted) ||
    isAdviceHead(columns) ||
    (has('start') &&
      has('duration') &&
      has('name') &&
      columns.some(({ name }) => /^(?:strm|stream|corrid|correlation id|srcmemkd)$/.test(name))) ||
    (has('total') && counted && (has('operation') || has('operations'))) ||
    columns.some(({ name }) => /^(?:total )?(?:htod|dtoh) migration size$/.test(name)) ||
    (columns.length <= 6 && has('cpu page faults') && columns.some(({ name }) => name.startsWith('cpu instruction'))) ||
    (has('kernel name') && columns.some(({ name }) => name === 'kavg'))
  );
}

const mayBeHead = /total time|total range time|duration|migration size|page ?faults|\boperations?\b|\bkavg\b/i;
const dashes = /^[^-]{0,80}-{3,}(?: {1,40}-{3,}){1,40}\s{0,200}$/;

/** The head of a table that begins with a line; null where none does. */
export function headAt(lines: readonly string[], at: number): StatHead | null {
  const line = lines[at];
  if (line === undefined || line.length > longest || !mayBeHead.test(line)) return null;
  // Objects of JSON name their columns too.
  if (/^[\s[,]{0,60}\{/.test(line)) return null;
  const rule = lines[at + 1] ?? '';
  for (const [cells, cut, next] of waysOf(line, rule, at)) {
    const columns = cells.map(columnOf);
    if (columns.length < 2 || !isHead(columns)) continue;
    const keys = columns.flatMap(({ name }, index) =>
      totals.has(name) ||
      name === 'duration' ||
      // Moments without a length stand in lists of events too.
      name === 'start' ||
      name === 'total' ||
      counts.has(name) ||
      /migration size|page ?faults|^kavg$/.test(name)
        ? [index]
        : [],
    );
    const units = unitsBehind(lines, next, columns, cut);
    return units === null ? { columns, next, cut, keys } : { columns: units, next: next + 1, cut, keys };
  }
  return null;
}

/** Columns with the units of a line of their own behind the head, as nvprof prints it in CSV; null where there is none. */
function unitsBehind(
  lines: readonly string[],
  at: number,
  columns: readonly StatColumn[],
  cut: Cut,
): readonly StatColumn[] | null {
  const text = lines[at] ?? '';
  if (text.length > longest || !text.includes(',') || !/^[\w%,/"\s]{1,4096}$/.test(text)) return null;
  const cells = cut(lines, at)?.cells ?? [];
  if (!cells.some((cell) => /^(?:ns|us|ms|s)$/.test(cell))) return null;
  if (!cells.every((cell) => /^(?:|%|ns|us|ms|s|(?:[KMGT]?B)(?:\/s)?)$/.test(cell))) return null;
  return columns.map((column, index) => {
    const unit = cells[index] ?? '';
    return unit === '' ? column : { name: column.name, unit: unit.toLowerCase() };
  });
}

function* waysOf(line: string, rule: string, at: number): Generator<readonly [readonly string[], Cut, number]> {
  const trimmed = line.trim();
  if (rule.length <= longest * 4 && dashes.test(rule)) {
    const spans = spansOf(rule);
    const names = trimmed.split(/\s{2,}/);
    yield [
      names.length === spans.length ? names : cutByPlace(line, spans),
      (lines, row) => one(lines[row], (text) => cutByPlace(text, spans)),
      at + 2,
    ];
  }
  if (trimmed.startsWith('|')) {
    const cut = (text: string): readonly string[] | null => (text.trim().startsWith('|') ? boxed(text) : null);
    yield [boxed(line), (lines, row) => one(lines[row], cut), at + 1];
  }
  for (const delimiter of ['\t', ',', ';'])
    if (line.includes(delimiter)) {
      const cut: Cut = (lines, row) => {
        const record = recordAt(lines, row, delimiter);
        // Only spreadsheets put semicolons, where a comma stands before the decimals.
        const cells = delimiter === ';' ? record?.cells.map(withPoint) : record?.cells;
        return record === null ? null : { cells: cells!, lines: lineFeeds(record.text) + 1 };
      };
      yield [recordAt([line], 0, delimiter)?.cells ?? [], cut, at + 1];
    }
  const byBlanks = (text: string): readonly string[] => text.trim().split(/\s{2,}/);
  yield [byBlanks(line), (lines, row) => one(lines[row], byBlanks), at + 1];
}

function withPoint(cell: string): string {
  return /^[+-]?\d{1,20},\d{1,20}$/.test(cell) ? cell.replace(',', '.') : cell;
}

function one(
  text: string | undefined,
  cut: (text: string) => readonly string[] | null,
): { readonly cells: readonly string[]; readonly lines: number } | null {
  const cells = text === undefined ? null : cut(text);
  return cells === null ? null : { cells, lines: 1 };
}

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Ends of the runs of dashes. */
function spansOf(rule: string): readonly number[] {
  return [...rule.matchAll(/-{3,}/g)].map((run) => run.index + run[0].length);
}

/** Cells end where the dashes end, or with the number that runs over that place; the last one goes to the end of the line. */
function cutByPlace(text: string, ends: readonly number[]): readonly string[] {
  // Where blanks were taken away the dashes are no measure; numbers hold none themselves.
  if (ends.some((end, at) => at < ends.length - 1 && isInside(text, end))) {
    const first = text.trim().split(/\s+/, ends.length - 1);
    if (first.length === ends.length - 1 && first.every((cell) => statNumber(cell) !== null))
      return [...first, behind(text.trim(), first.length)];
  }
  const own = ends.map((end) => {
    let to = end;
    while (to < end + mostOver && isDigit(text[to - 1]) && isDigit(text[to])) to++;
    return to;
  });
  return own.map((end, at) => text.slice(own[at - 1] ?? 0, at === own.length - 1 ? undefined : end).trim());
}

/** True where a place lies between two signs of one word. */
function isInside(text: string, place: number): boolean {
  return /^[^\s]{2}$/.test(text.slice(place - 1, place + 1));
}

/** What stands behind so many words. */
function behind(text: string, words: number): string {
  let at = 0;
  for (let word = 0; word < words; word++) at += /^\S+\s*/.exec(text.slice(at, at + 200))?.[0].length ?? 0;
  return text.slice(at);
}

/** Signs that a number may be longer than its column in a table that somebody edited. */
const mostOver = 12;

function isDigit(sign: string | undefined): boolean {
  return sign !== undefined && /[0-9.,]/.test(sign);
}

function boxed(text: string): readonly string[] {
  const cells = text.trim().split('|').slice(1);
  if (cells.at(-1)?.trim() === '') cells.pop();
  return cells.map((cell) => cell.trim());
}

/** The cells of a row that begins with a line; null where none does. */
function rowAt(lines: readonly string[], at: number, head: StatHead): ReturnType<Cut> {
  const text = lines[at];
  if (text === undefined || text.trim() === '') return null;
  const cut = head.cut(lines, at);
  const isRow =
    cut !== null &&
    cut.cells.length >= Math.min(2, head.columns.length) &&
    head.keys.some((key) => timeOfCell(cut.cells[key], null) !== null);
  return isRow ? cut : null;
}

/** True where every second line around an empty one is empty. */
function isSpaced(lines: readonly string[], at: number): boolean {
  return (lines[at - 2] ?? '').trim() === '' && (lines[at + 2] ?? '').trim() === '';
}

/** Rows of a table up to what is none; @returns the index of the line behind them */
export function* rowsBehind(lines: readonly string[], head: StatHead): Generator<StatRow, number> {
  let at = head.next;
  let between = 0;
  let met = false;
  while (at < lines.length) {
    const text = lines[at]!;
    if (/^\s*[+|]?[-+=\s]{3,400}$/.test(text.slice(0, 400))) {
      at++;
      continue;
    }
    // Mails and terminals of Windows put an empty line behind each.
    if (met && text.trim() === '' && isSpaced(lines, at) && rowAt(lines, at + 1, head) !== null) {
      at++;
      continue;
    }
    const cut = rowAt(lines, at, head);
    if (cut !== null) {
      met = true;
      yield { line: at + 1, cells: cut.cells };
      at += cut.lines;
      continue;
    }
    if (met || ++between > mostBetween || headAt(lines, at) !== null) break;
    at++;
  }
  return at;
}
