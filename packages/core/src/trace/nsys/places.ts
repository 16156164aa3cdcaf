import type { TraceBuilder } from '../builder.ts';
import type { TraceDevice } from '../model.ts';
import type { SqlDatabase, SqlValue } from './database.ts';
import { SqlError } from './database.ts';
import { blockingOf } from './enums.ts';
import { columnsOf, nothing } from './tables.ts';

/*
 * Where things happen: global numbers hold the process and the thread (hardware << 56 | machine << 48 | process << 24 |
 * thread), and the number of a device counts what its process may see.
 */

const places24 = 2 ** 24;

/** Process of a `globalPid` or `globalTid`; the rounding of numbers above 2^53 does not reach its bits. */
function processOf(global: number): number {
  const process = Math.floor(global / places24) % places24;
  return process < 0 ? process + places24 : process;
}

function isTold(global: number): boolean {
  return global !== 0 && global !== nothing && !Number.isNaN(global);
}

/** Numbers of processes, threads, devices and streams as the trace has them. */
export class Places {
  readonly #builder: TraceBuilder;
  readonly #deviceOf: (process: number, device: number) => number;
  readonly #blocking: ReadonlyMap<string, boolean>;
  #processes = new Map<number, number>();
  #processOf = new Map<number, number>();
  #now = { global: Number.NaN, process: 0, index: 0 };
  #threadOf = new Map<number, number>();
  #streamsOf = new Map<string, Map<number, number>>();
  #here = { device: Number.NaN, context: 0, global: 0, streams: new Map<number, number>() };
  #last = { device: Number.NaN, context: 0, global: 0, stream: 0, at: -1 };

  constructor(db: SqlDatabase, builder: TraceBuilder) {
    this.#builder = builder;
    this.#deviceOf = devicesOf(db, builder);
    this.#blocking = streamsOf(db);
  }

  /** Process of a global number; that of the first one where it is not told, 0 where there is none. */
  process(global: number): number {
    this.#turnTo(global);
    return this.#now.process;
  }

  #turnTo(global: number): void {
    const now = this.#now;
    if (now.global === global) return;
    let process: number;
    if (isTold(global)) {
      process = this.#processOf.get(global) ?? processOf(global);
      this.#processOf.set(global, process);
      if (!this.#processes.has(process)) this.#processes.set(process, this.#processes.size);
    } else [process = 0] = this.#processes.keys();
    this.#now = { global, process, index: this.#processes.get(process) ?? 0 };
  }

  /** A correlation number that is unique over the processes; -1 where there is none (they count from 1). */
  correlation(global: number, correlation: number): number {
    this.#turnTo(global);
    const number = correlation < 0 && correlation >= -(2 ** 31) ? correlation + 2 ** 32 : correlation;
    return number > 0 && number < 2 ** 32 ? this.#now.index * 2 ** 32 + number : -1;
  }

  /** Thread of a `globalTid` without the bits above 48. */
  thread(global: number): number {
    const known = this.#threadOf.get(global);
    if (known !== undefined) return known;
    const at = this.#builder.thread(this.process(global), isTold(global) ? global % places24 : 0);
    this.#threadOf.set(global, at);
    return at;
  }

  /** True where the thread has been met among the calls. */
  calls(global: number): boolean {
    return this.#threadOf.has(global);
  }

  device(global: number, device: number): number {
    return this.#deviceOf(this.process(global), Math.max(0, device));
  }

  /** Index of a stream; -1 where its number stands for none (4294967295). */
  stream(global: number, device: number, context: number, stream: number): number {
    const last = this.#last;
    if (last.stream === stream && last.device === device && last.context === context && last.global === global)
      return last.at;
    const at = this.#streamOf(global, device, context, stream);
    this.#last = { device, context, global, stream, at };
    return at;
  }

  #streamOf(global: number, device: number, context: number, stream: number): number {
    const here = this.#here;
    if (here.device !== device || here.context !== context || here.global !== global)
      this.#moveTo(global, device, context);
    const known = this.#here.streams.get(stream);
    if (known !== undefined) return known;
    const process = this.process(global);
    const blocking =
      this.#blocking.get(`${process} ${context} ${stream}`) ?? this.#blocking.get(`${context} ${stream}`);
    const at =
      stream < 0 || stream >= 4_294_967_295
        ? -1
        : this.#builder.stream(this.device(global, device), process, context > 0 ? context : null, stream, blocking);
    this.#here.streams.set(stream, at);
    return at;
  }

  /** Turns to the streams of another context. */
  #moveTo(global: number, device: number, context: number): void {
    const key = `${global} ${device} ${context}`;
    const streams = this.#streamsOf.get(key) ?? new Map<number, number>();
    this.#streamsOf.set(key, streams);
    this.#here = { device, context, global, streams };
  }
}

/** Adds the GPUs of the machine as their devices are met; @returns index of a device as a process numbers it */
function devicesOf(db: SqlDatabase, builder: TraceBuilder): (process: number, device: number) => number {
  const gpus = rowsAsRecords(db, 'TARGET_INFO_GPU');
  const seen = rowsAsRecords(db, 'TARGET_INFO_CUDA_DEVICE');
  const byOrdinal = gpus.some((gpu) => number(gpu['cudevice']) !== null);
  const gpuOf = new Map<string, number>();
  const gpusOfOrdinal = new Map<number, Set<number>>();
  for (const row of seen) {
    const [process, ordinal, gpu] = [number(row['pid']), number(row['cudaid']), number(row['gpuid'])];
    if (ordinal === null || gpu === null) continue;
    gpuOf.set(`${process ?? ''} ${ordinal}`, gpu);
    gpusOfOrdinal.set(ordinal, (gpusOfOrdinal.get(ordinal) ?? new Set()).add(gpu));
  }
  // Where processes see different GPUs under one number, only the number of the machine tells them apart.
  const isAmbiguous = [...gpusOfOrdinal.values()].some((each) => each.size > 1);
  const known = new Map<string, number>();
  return (process, device) => {
    const key = `${process} ${device}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const told = gpuOf.get(key) ?? [...(gpusOfOrdinal.get(device) ?? [])][0];
    const id = isAmbiguous && told !== undefined ? told : device;
    const gpu =
      told === undefined
        ? gpus.find((each) => number(byOrdinal ? each['cudevice'] : each['id']) === device)
        : gpus.find((each) => number(each['id']) === told);
    const at = builder.device(id, gpu === undefined ? {} : deviceOf(gpu));
    known.set(key, at);
    return at;
  };
}

/** Whether streams wait for the default stream, by process, context and number; of one process also without it. */
function streamsOf(db: SqlDatabase): ReadonlyMap<string, boolean> {
  const rows = rowsAsRecords(db, 'TARGET_INFO_CUDA_STREAM');
  const flags = blockingOf(db);
  const found = new Map<string, boolean>();
  const processes = new Set(rows.map((row) => number(row['processid'])));
  for (const row of rows) {
    const blocking = flags(number(row['flag']) ?? 0);
    if (blocking === null) continue;
    const own = `${number(row['contextid']) ?? 0} ${number(row['streamid']) ?? -1}`;
    found.set(`${number(row['processid']) ?? ''} ${own}`, blocking);
    if (processes.size === 1) found.set(own, blocking);
  }
  return found;
}

type Record_ = Readonly<Record<string, SqlValue | undefined>>;

function rowsAsRecords(db: SqlDatabase, table: string): readonly Record_[] {
  const columns = [...columnsOf(db, table)];
  if (columns.length === 0) return [];
  const records: Record_[] = [];
  try {
    for (const row of db.rows(`select * from ${table} limit 1000`))
      records.push(Object.fromEntries(columns.map((column, at) => [column, row[at]])));
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
  }
  return records;
}

function number(value: SqlValue | undefined): number | null {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function text(value: SqlValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null;
}

/** A value that can be one: exports of some ages hold zeros, or other units. */
function between(value: SqlValue | undefined, least: number, most: number): number | null {
  const found = number(value);
  return found !== null && found >= least && found <= most ? found : null;
}

function deviceOf(gpu: Record_): Partial<TraceDevice> {
  const [major, minor] = [between(gpu['computemajor'], 1, 99), between(gpu['computeminor'], 0, 99)];
  return {
    name: text(gpu['name']),
    computeCapability: major === null || minor === null ? null : `${major}.${minor}`,
    sms: between(gpu['smcount'], 1, 10_000),
    memoryBytes: between(gpu['totalmemory'], 2 ** 20, 2 ** 50),
    bandwidth: between(gpu['memorybandwidth'], 1e9, 1e15),
    clockHz: between(gpu['clockrate'], 1e8, 1e11),
    uuid: text(gpu['uuid']),
  };
}
