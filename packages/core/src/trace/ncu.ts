// Kernel profiles of Nsight Compute as CSV: raw and details pages, a row for each metric or for each kernel.
//
// ==PROF== Profiling "axpy" - 0: 0%....50%....100% - 8 passes
// "ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value", …
// "0","44120","axpy","127.0.0.1","void axpy<float>(…)","1","7","(256, 1, 1)","(1024, 1, 1)","0","9.0","Occupancy","Achieved Occupancy","%","78.91",
//
// "ID", … ,"CC","gpu__time_duration.sum","launch__registers_per_thread"
// "", … ,"","us","register/thread"
// "1", … ,"9.0","1,204.51","40"
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { NcuMetricRow } from '../knowledge/ncu.types.ts';
import type { CsvRecord } from './csv.ts';
import { linesOf, recordAt } from './csv.ts';
import type { NumberStyle } from './locale-numbers.ts';
import { inUnit } from './ncu-units.ts';
import { numberOf, numberStyle } from './locale-numbers.ts';

/** Tables that the reader asks. */
export type NcuTables = Pick<Knowledge, 'ncuMetrics'>;

/** Where a value stands. */
export interface Place {
  readonly line: number;
  /** First character of `text` in the line, from 1. */
  readonly column: number;
  /** First character of the value, from 1. */
  readonly cell: number;
  /** The line, or a slice of 2 KiB of it around the value. */
  readonly text: string;
}

/** A number of one kernel, in the unit of its metric. */
export interface Measured {
  readonly value: number;
  /** As printed, for messages. */
  readonly printed: string;
  readonly place: Place;
}

/** Advice that the tool itself prints. */
export interface Advice {
  readonly rule: string;
  readonly text: string;
  readonly place: Place;
}

/** One profiled launch. */
export interface Launch {
  readonly id: string;
  readonly kernel: string;
  readonly block: number | null;
  readonly grid: number | null;
  readonly device: string | null;
  readonly computeCapability: string | null;
  readonly stream: string | null;
  /** By the id of the metric table. */
  readonly metrics: ReadonlyMap<string, Measured>;
  /** Stall reasons: cycles or samples as the profile counts them, `selected` among them. */
  readonly stalls: ReadonlyMap<string, Measured>;
  readonly advice: readonly Advice[];
  readonly place: Place;
}

export interface NcuProfile {
  readonly launches: readonly Launch[];
  /** Metrics that stand there and are not in the table: how many. */
  readonly unread: number;
  /** Values that could be read in two ways, or not at all, with the first place. */
  readonly unreadable: readonly { readonly what: string; readonly place: Place }[];
  /** What was left out, in words. */
  readonly left: readonly string[];
}

const mostLaunches = 50_000;
const mostUnreadable = 20;

/** Columns that say which launch a row is about, lower case. */
const launchColumns = new Set([
  'id',
  'process id',
  'process name',
  'host name',
  'kernel name',
  'kernel time',
  'context',
  'stream',
  'block size',
  'grid size',
  'device',
  'cc',
  'section name',
  'metric name',
  'metric unit',
  'metric value',
  'rule name',
  'rule type',
  'rule description',
  'estimated speedup type',
  'estimated speedup',
  'thread domain:push/pop_range:pl_type:pl_value:clr_type:color:msg_type:msg',
  'id:domain:start/stop_range:pl_type:pl_value:clr_type:color:msg_type:msg',
]);

/** True for a line that begins the table: it names a kernel's column or a metric's. */
export function isNcuHeader(line: string): boolean {
  const text = line.slice(0, 4096).toLowerCase();
  if (!/^\uFEFF?"?(?:id|process id|kernel name|metric name)"?[,;]/.test(text)) return false;
  return text.includes('metric name') || (text.includes('kernel name') && /\w__\w|[,;]"?cc"?[,;]|duration/.test(text));
}

/**
 * Reads the CSV output of Nsight Compute, whatever stands before and between it.
 * @returns null where no line begins such a table
 */
export function readNcu(text: string, knowledge: NcuTables): NcuProfile | null {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const tables = tablesIn(lines);
  if (tables.length === 0) return null;
  const names = namesOf(knowledge);
  const style = styleOf(tables, names);
  const reading: Reading = { names, style, launches: new Map(), unread: new Set(), unreadable: [], left: new Set() };
  for (const table of tables) {
    if (table.columns.includes('metric name')) long(table, reading);
    else wide(table, reading);
  }
  return {
    launches: [...reading.launches.values()].map(finished),
    unread: reading.unread.size,
    unreadable: reading.unreadable,
    left: [...reading.left],
  };
}

interface Table {
  /** Lower case. */
  readonly columns: readonly string[];
  readonly printed: readonly string[];
  readonly records: readonly CsvRecord[];
}

interface Reading {
  readonly names: ReadonlyMap<string, NcuMetricRow>;
  readonly style: NumberStyle;
  readonly launches: Map<string, OpenLaunch>;
  readonly unread: Set<string>;
  readonly unreadable: { what: string; place: Place }[];
  readonly left: Set<string>;
}

interface OpenLaunch extends Omit<Launch, 'metrics' | 'stalls' | 'advice'> {
  readonly metrics: Map<string, Measured>;
  readonly stalls: Map<string, Measured>;
  readonly stallKinds: Map<string, Map<string, Measured>>;
  readonly advice: Advice[];
}

function tablesIn(lines: readonly string[]): readonly Table[] {
  const tables: Table[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!isNcuHeader(lines[at]!)) continue;
    const delimiter = /^\uFEFF?"?[A-Za-z ]{2,12}"?;/.test(lines[at]!) ? ';' : ',';
    const header = recordAt(lines, at, delimiter);
    if (header === null) continue;
    const printed = header.cells.map((cell) => cell.replace(/^\uFEFF/, '').trim());
    const records: CsvRecord[] = [];
    let row = at + linesOf(header);
    while (row < lines.length && !isNcuHeader(lines[row]!)) {
      const line = lines[row]!;
      // The program's own output may stand between the rows.
      if (line.trim() === '' || line.startsWith('==') || !line.includes(delimiter)) {
        row++;
        continue;
      }
      const record = recordAt(lines, row, delimiter);
      if (record === null) {
        row++;
        continue;
      }
      records.push(record);
      row += linesOf(record);
    }
    tables.push({ columns: printed.map((cell) => cell.toLowerCase()), printed, records });
    at = row - 1;
  }
  return tables;
}

const namesMade = new WeakMap<readonly NcuMetricRow[], ReadonlyMap<string, NcuMetricRow>>();

/** Metrics by every printed name, lower case. */
function namesOf(knowledge: NcuTables): ReadonlyMap<string, NcuMetricRow> {
  let names = namesMade.get(knowledge.ncuMetrics);
  if (names === undefined) {
    const made = new Map<string, NcuMetricRow>();
    for (const row of knowledge.ncuMetrics)
      for (const name of [...row.raw, ...row.labels]) made.set(name.toLowerCase(), row);
    namesMade.set(knowledge.ncuMetrics, (names = made));
  }
  return names;
}

const wholeUnits = new Set(['count', 'threads', 'blocks']);

function isWhole(row: NcuMetricRow | undefined, unit: string): boolean {
  if (/^(?:cycle|inst|register\/thread|block|thread|sector|request|warp|sm|wavefront)s?$/i.test(unit)) {
    // Averages have these units too.
    return row !== undefined && wholeUnits.has(row.unit) && !row.id.endsWith('per-warp');
  }
  return row !== undefined && wholeUnits.has(row.unit) && !row.id.endsWith('per-warp');
}

function styleOf(tables: readonly Table[], names: ReadonlyMap<string, NcuMetricRow>): NumberStyle {
  return numberStyle(
    (function* () {
      for (const { columns, records } of tables) {
        const [name, unit, value] = ['metric name', 'metric unit', 'metric value'].map((each) => columns.indexOf(each));
        for (const { cells } of records) {
          if (name! >= 0) {
            const text = cells[value!];
            if (text !== undefined && text !== '')
              yield { text, whole: isWhole(names.get((cells[name!] ?? '').toLowerCase()), cells[unit!] ?? '') };
            continue;
          }
          for (let at = 0; at < cells.length; at++) {
            const column = columns[at];
            if (column === undefined || launchColumns.has(column)) continue;
            yield { text: cells[at]!, whole: isWhole(metricOf(column, names).row, '') };
          }
        }
      }
    })(),
  );
}

/** `Duration [us]` and `Duration (us)` name a unit. */
function metricOf(
  column: string,
  names: ReadonlyMap<string, NcuMetricRow>,
): { readonly row: NcuMetricRow | undefined; readonly unit: string | null } {
  const row = names.get(column);
  if (row !== undefined) return { row, unit: null };
  const bracket = /^(.{1,200}?) ?[[(]([^\])]{1,30})[\])]$/.exec(column);
  return bracket === null ? { row: undefined, unit: null } : { row: names.get(bracket[1]!.trim()), unit: bracket[2]! };
}

function long({ columns, records }: Table, reading: Reading): void {
  const at = (name: string): number => columns.indexOf(name);
  const [name, unit, value] = [at('metric name'), at('metric unit'), at('metric value')];
  const [rule, text] = [at('rule name'), at('rule description')];
  for (const record of records) {
    const launch = launchOf(columns, record, reading);
    if (launch === null) continue;
    const metric = record.cells[name] ?? '';
    if (metric !== '') {
      take(launch, metric, record.cells[unit] ?? '', record, value, reading);
      continue;
    }
    const advice = text < 0 ? '' : (record.cells[text] ?? '');
    if (advice !== '' && launch.advice.length < 40)
      launch.advice.push({
        rule: record.cells[rule] ?? '',
        text: advice.slice(0, 2000),
        place: placeOf(record, text),
      });
  }
}

function wide({ columns, printed, records }: Table, reading: Reading): void {
  let units: readonly string[] = [];
  const id = columns.indexOf('id');
  for (const record of records) {
    const first = record.cells[id < 0 ? columns.indexOf('kernel name') : id] ?? '';
    if (first === '') {
      units = record.cells;
      continue;
    }
    const launch = launchOf(columns, record, reading);
    if (launch === null) continue;
    for (let at = 0; at < columns.length; at++) {
      if (launchColumns.has(columns[at]!)) continue;
      const found = metricOf(columns[at]!, reading.names);
      const name =
        found.row === undefined || found.unit === null
          ? printed[at]!
          : printed[at]!.slice(0, columns[at]!.search(/ ?[[(]/));
      take(launch, name, found.unit ?? units[at] ?? '', record, at, reading);
    }
  }
}

/** The launch that a row is about; null for a row that names none. */
function launchOf(columns: readonly string[], record: CsvRecord, reading: Reading): OpenLaunch | null {
  const cell = (name: string): string | null => {
    const text = record.cells[columns.indexOf(name)];
    return text === undefined || text === '' ? null : text;
  };
  const id = cell('id') ?? '0';
  const kernel = cell('kernel name');
  if (!/^\d{1,9}$/.test(id) || (kernel === null && columns.includes('kernel name'))) return null;
  const key = `${id}\u0000${cell('process id') ?? ''}\u0000${kernel ?? ''}\u0000${cell('device') ?? ''}`;
  const known = reading.launches.get(key);
  if (known !== undefined) return known;
  if (reading.launches.size >= mostLaunches) {
    reading.left.add(`more than ${mostLaunches} launches; the rest was not read`);
    return null;
  }
  const place = placeOf(record, 0);
  const launch: OpenLaunch = {
    id,
    kernel: (kernel ?? 'kernel').slice(0, 400),
    block: sizeOf(cell('block size')),
    grid: sizeOf(cell('grid size')),
    device: cell('device'),
    computeCapability: /^\d{1,2}\.\d$/.exec(cell('cc') ?? '')?.[0] ?? null,
    stream: cell('stream'),
    metrics: new Map(),
    stalls: new Map(),
    stallKinds: new Map(),
    advice: [],
    place,
  };
  for (const [id_, value, column] of [
    ['block-size', launch.block, 'block size'],
    ['grid-size', launch.grid, 'grid size'],
  ] as const) {
    const at = columns.indexOf(column);
    if (value !== null) launch.metrics.set(id_, { value, printed: record.cells[at]!, place: placeOf(record, at) });
  }
  reading.launches.set(key, launch);
  return launch;
}

/** `(256, 1, 1)`, `256x1x1`, `256`: how many in all. */
function sizeOf(text: string | null): number | null {
  const parts = text?.match(/\d{1,10}/g);
  if (parts == null || parts.length > 3) return null;
  const size = parts.reduce((product, part) => product * Number(part), 1);
  return Number.isSafeInteger(size) && size > 0 ? size : null;
}

const stallName =
  /^smsp__(?:average_warps_issue_stalled_(?<issue>[a-z_]{3,40}?)(?:_per_issue_active|_not_issued_per_issue_active)|average_warp_latency_issue_stalled_(?<latency>[a-z_]{3,40}?)|warp_issue_stalled_(?<share>[a-z_]{3,40}?)_per_warp_active|pcsamp_warps_issue_stalled_(?<sample>[a-z_]{3,40}?)|warps_issue_stalled_(?<warps>[a-z_]{3,40}?))(?:\.(?:ratio|pct|sum|avg))?$/;

function take(
  launch: OpenLaunch,
  printedName: string,
  unit: string,
  record: CsvRecord,
  cell: number,
  reading: Reading,
): void {
  const text = record.cells[cell];
  if (text === undefined || text === '' || text === 'n/a' || text === 'N/A') return;
  const name = printedName.toLowerCase();
  const stall = stallName.exec(name)?.groups ?? null;
  const label = /^(?:stall )?([a-z ]{3,30})$/.exec(name)?.[1];
  const row = reading.names.get(name);
  if (row === undefined && stall === null && !(name.startsWith('stall ') && label !== undefined)) {
    if (!launchColumns.has(name)) reading.unread.add(name);
    return;
  }
  const value = numberOf(text, reading.style, isWhole(row, unit));
  const place = placeOf(record, cell);
  if (value === null) {
    if (/\d/.test(text) && reading.unreadable.length < mostUnreadable && row !== undefined)
      reading.unreadable.push({ what: `${printedName} is ${text.slice(0, 40)}`, place });
    return;
  }
  if (row === undefined) {
    const kind = stall === null ? 'label' : Object.keys(stall).find((each) => stall[each] !== undefined)!;
    const reason = stall === null ? label!.replaceAll(' ', '_') : stall[kind]!;
    if (reason.endsWith('_not_issued')) return;
    const reasons = launch.stallKinds.get(kind) ?? new Map<string, Measured>();
    launch.stallKinds.set(kind, reasons);
    if (!reasons.has(reason)) reasons.set(reason, { value, printed: text, place });
    return;
  }
  const measured = inUnit(row, value, unit);
  if (measured === null || launch.metrics.has(row.id)) return;
  launch.metrics.set(row.id, { value: measured, printed: unit === '' ? text : `${text} ${unit}`, place });
}

const longestPlace = 2048;

function placeOf(record: CsvRecord, cell: number): Place {
  const start = record.starts[cell] ?? 0;
  const before = record.text.lastIndexOf('\n', start - 1) + 1;
  const end = record.text.indexOf('\n', start);
  const line = record.text.slice(before, end < 0 ? undefined : end);
  let number = record.line;
  for (let at = record.text.indexOf('\n'); at >= 0 && at < before; at = record.text.indexOf('\n', at + 1)) number++;
  if (line.length <= longestPlace) return { line: number, column: 1, cell: start - before + 1, text: line };
  const from = Math.max(0, Math.min(start - before - 64, line.length - longestPlace));
  return { line: number, column: from + 1, cell: start - before + 1, text: line.slice(from, from + longestPlace) };
}

/** Which of the ways to count stalls is used, best first. */
const stallKinds = ['issue', 'latency', 'share', 'warps', 'sample', 'label'];

function finished(launch: OpenLaunch): Launch {
  const { stallKinds: kinds, ...rest } = launch;
  const kind = stallKinds.find((each) => (kinds.get(each)?.size ?? 0) > 0);
  return { ...rest, stalls: (kind === undefined ? undefined : kinds.get(kind)) ?? new Map() };
}
