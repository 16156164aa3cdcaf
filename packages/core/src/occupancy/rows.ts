// Rows of the occupancy calculator: input columns in, answer columns out.
//
// id,cc,num_sms,block_size,regs_per_thread,static_smem,dynamic_smem,smem_limit,max_dynamic_smem,carveout, …
// 1,9.0,132,128,111,0,0,default,0,33, …
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import { bestBlockSize, headerDynamicShared, mostDynamicShared } from './best.ts';
import type { Kernel, Resource } from './evaluate.ts';
import { evaluate, headerLimitingOf, isInvalid } from './evaluate.ts';

export const inputColumns = [
  'id',
  'cc',
  'num_sms',
  'block_size',
  'regs_per_thread',
  'static_smem',
  'dynamic_smem',
  'smem_limit',
  'max_dynamic_smem',
  'carveout',
  'cache_config',
  'max_threads_per_block',
  'barriers',
  'partitioned_gc',
  'virtual_resources',
  'var_smem_per_thread',
  'var_smem_base',
  'query_blocks',
] as const;

export const answerColumns = [
  'status',
  'active_blocks',
  'limiting',
  'limit_warps',
  'limit_registers',
  'limit_shared_memory',
  'limit_blocks',
  'limit_barriers',
  'limit_virtual',
  'alloc_registers_per_block',
  'alloc_smem_per_block',
  'partitioned_gc_result',
  'active_warps',
  'occupancy',
  'best_block_size',
  'best_min_grid',
  'best_block_size_var',
  'best_min_grid_var',
  'available_dynamic_smem',
  'most_dynamic_smem',
] as const;

type InputColumn = (typeof inputColumns)[number];
type AnswerColumn = (typeof answerColumns)[number];

/** A table whose input cannot be used: which line and why. */
export interface RowsProblem {
  readonly line: number;
  readonly reason: string;
}

/** Either how many rows were answered, or what is wrong with the table. */
export type RowsAnswer = { readonly rows: number } | { readonly problem: RowsProblem };

/** Takes the answered table piece by piece: lines of cells, the header first. */
export type TakeRows = (rows: readonly (readonly string[])[], delimiter: string) => void;

const usual: Readonly<Record<InputColumn, string>> = {
  id: '',
  cc: '',
  num_sms: '0',
  block_size: '256',
  regs_per_thread: '0',
  static_smem: '0',
  dynamic_smem: '0',
  smem_limit: 'default',
  max_dynamic_smem: '0',
  carveout: '-1',
  cache_config: 'none',
  max_threads_per_block: '1024',
  barriers: '1',
  partitioned_gc: 'off',
  virtual_resources: '0',
  var_smem_per_thread: '0',
  var_smem_base: '0',
  query_blocks: '1',
};

const words: Readonly<Partial<Record<InputColumn, readonly string[]>>> = {
  smem_limit: ['default', 'optin'],
  cache_config: ['none', 'shared', 'l1', 'equal'],
  partitioned_gc: ['off', 'on', 'strict'],
};

const names: Readonly<Record<Resource, string>> = {
  warps: 'warps',
  registers: 'registers',
  sharedMemory: 'shared_memory',
  blocks: 'blocks',
  barriers: 'barriers',
  virtualResources: 'virtual',
};

/** Rows that are handed over at once. */
const pieceRows = 1000;

/**
 * Adds the answer columns to a table of launches: CSV with one header line, cells quoted or not, parted by commas,
 * semicolons or tabs. Columns of the answer that are there already are replaced; missing input columns take their usual
 * value, apart from `cc`. Nothing is handed over before every row was found readable.
 * @param take gets the table in pieces, so that a large one is never held twice
 * @returns how many rows there are, or the first line that cannot be used
 */
export function answerRows(text: string, knowledge: Knowledge, take: TakeRows): RowsAnswer {
  const [first = ''] = linesOf(text);
  const delimiter = delimiterOf(first);
  const header = cellsOf(first, delimiter) ?? [];
  if (!header.includes('cc'))
    return {
      problem: { line: 1, reason: `the first line has no column cc; the columns are ${inputColumns.join(',')}` },
    };
  const twice = inputColumns.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (twice !== undefined) return { problem: { line: 1, reason: `the column ${twice} is there twice` } };
  const place = new Map(header.map((name, at) => [name, at]));
  const readerOf =
    (cells: readonly string[]) =>
    (name: InputColumn): string => {
      const cell = cells[place.get(name) ?? -1];
      return cell === undefined || cell === '' ? usual[name] : cell;
    };
  const problem = firstProblem(text, delimiter, header.length, readerOf);
  if (problem !== null) return { problem };

  const kept = header.flatMap((name, at) => (answerColumns.some((each) => each === name) ? [] : [at]));
  const devices = new Map(knowledge.occupancy.map((row) => [row.computeCapability, row]));
  let piece: (readonly string[])[] = [[...kept.map((at) => header[at]!), ...answerColumns]];
  // A terminal is not sent tabs.
  const parted = delimiter === '\t' ? ',' : delimiter;
  let rows = -1;
  for (const line of linesOf(text)) {
    if (rows >= 0 && line.trim() === '') continue;
    rows++;
    if (rows === 0) continue;
    const cells = cellsOf(line, delimiter) ?? [];
    const answer = answerOf(readerOf(cells), devices);
    piece.push([...kept.map((each) => cells[each] ?? ''), ...answerColumns.map((name) => answer[name])]);
    if (piece.length < pieceRows) continue;
    take(piece, parted);
    piece = [];
  }
  if (piece.length > 0) take(piece, parted);
  return { rows };
}

/** One row of the table as text; cells that need it are quoted. */
export function rowText(cells: readonly string[], delimiter: string): string {
  return cells
    .map((cell) => (cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(delimiter);
}

function firstProblem(
  text: string,
  delimiter: string,
  columns: number,
  readerOf: (cells: readonly string[]) => (name: InputColumn) => string,
): RowsProblem | null {
  let line = 0;
  for (const each of linesOf(text)) {
    line++;
    if (line === 1 || each.trim() === '') continue;
    const cells = cellsOf(each, delimiter);
    if (cells === null) return { line, reason: 'a quote is not closed in the line' };
    if (cells.length > columns) return { line, reason: `it has ${cells.length} cells, the header ${columns}` };
    const read = readerOf(cells);
    const wrong = inputColumns.find((name) => !isReadable(name, read(name)));
    if (wrong !== undefined) return { line, reason: `${wrong} is ${JSON.stringify(read(wrong).slice(0, 40))}` };
  }
  return null;
}

/** The lines one after another, without the byte order mark. */
function* linesOf(text: string): Generator<string> {
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length;) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    yield text.slice(at, text[end - 1] === '\r' ? end - 1 : end);
    at = end + 1;
  }
}

/** What parts the cells of the header: the sign that it has most of. */
function delimiterOf(header: string): string {
  const count = (sign: string): number => header.split(sign).length;
  return [';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best), ',');
}

/** Cells of a line, quotes by RFC 4180 taken off; null where a quote is not closed. */
function cellsOf(line: string, delimiter: string): readonly string[] | null {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = '';
    if (line[at] === '"') {
      at++;
      for (;;) {
        const quote = line.indexOf('"', at);
        if (quote < 0) return null;
        cell += line.slice(at, quote);
        at = quote + 1;
        if (line[at] !== '"') break;
        cell += '"';
        at++;
      }
    }
    const found = line.indexOf(delimiter, at);
    const end = found < 0 ? line.length : found;
    cells.push((cell + line.slice(at, end)).trim());
    if (found < 0) return cells;
    at = end + delimiter.length;
  }
}

function isReadable(name: InputColumn, value: string): boolean {
  if (name === 'id') return true;
  if (name === 'cc') return /^\d{1,2}\.\d$/.test(value);
  const allowed = words[name];
  return allowed === undefined ? /^-?\d{1,12}$/.test(value) : allowed.includes(value);
}

function answerOf(
  read: (name: InputColumn) => string,
  devices: ReadonlyMap<string, OccupancyRow>,
): Readonly<Record<AnswerColumn, string>> {
  const number = (name: InputColumn): number => Number(read(name));
  const kernel: Kernel = {
    blockSize: number('block_size'),
    registersPerThread: number('regs_per_thread'),
    staticShared: number('static_smem'),
    dynamicShared: number('dynamic_smem'),
    optIn: read('smem_limit') === 'optin',
    maxDynamicShared: number('max_dynamic_smem'),
    carveout: number('carveout'),
    cacheConfig: read('cache_config') as Kernel['cacheConfig'],
    maxThreadsPerBlock: number('max_threads_per_block'),
    barriers: number('barriers'),
    partitionedCaching: read('partitioned_gc') as Kernel['partitionedCaching'],
    virtualResources: number('virtual_resources'),
  };
  const device = devices.get(read('cc'));
  if (device === undefined || isInvalid(device, kernel)) {
    const none = Object.fromEntries(answerColumns.map((name) => [name, ''])) as Record<AnswerColumn, string>;
    return { ...none, status: device === undefined ? 'unknown_device' : 'invalid_input', most_dynamic_smem: '-1' };
  }
  const result = evaluate(device, kernel);
  const sms = number('num_sms');
  const fixed = bestBlockSize(device, kernel, () => kernel.dynamicShared);
  const perThread = number('var_smem_per_thread');
  const base = number('var_smem_base');
  const growing = bestBlockSize(device, kernel, (blockSize) => perThread * blockSize + base);
  const query = number('query_blocks');
  const header = query > 0 ? headerDynamicShared(device, kernel, query) : null;
  const most = query > 0 ? mostDynamicShared(device, kernel, query) : null;
  return {
    status: 'ok',
    active_blocks: String(result.activeBlocks),
    limiting: headerLimitingOf(result)
      .map((each) => names[each])
      .join('+'),
    limit_warps: limit(result.limits.warps),
    limit_registers: limit(result.limits.registers),
    limit_shared_memory: limit(result.limits.sharedMemory),
    limit_blocks: limit(result.limits.blocks),
    limit_barriers: limit(result.limits.barriers),
    limit_virtual: limit(result.limits.virtualResources),
    alloc_registers_per_block: String(result.registersPerBlock),
    alloc_smem_per_block: String(result.sharedPerBlock),
    partitioned_gc_result: result.partitionedCaching,
    active_warps: String(result.activeWarps),
    occupancy: fourDecimals(result.occupancy),
    best_block_size: String(fixed.blockSize),
    best_min_grid: String(fixed.activeBlocks * sms),
    best_block_size_var: String(growing.blockSize),
    best_min_grid_var: String(growing.activeBlocks * sms),
    available_dynamic_smem: header === null ? '' : String(header),
    most_dynamic_smem: String(most ?? -1),
  };
}

/** Rounded half to even, as C prints it. */
function fourDecimals(value: number): string {
  const scaled = value * 10_000;
  const floor = Math.floor(scaled);
  const rounded = scaled - floor === 0.5 ? floor + (floor % 2) : Math.round(scaled);
  return (rounded / 10_000).toFixed(4);
}

function limit(value: number): string {
  return value === Infinity ? 'inf' : String(value);
}
