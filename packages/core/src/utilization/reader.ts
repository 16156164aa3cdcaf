import { emptyRow } from './gpu-series.ts';
import { metrics } from './metrics.rows.ts';
import type { SeriesSet } from './series-set.ts';
import { ExporterReader } from './exporter.ts';
import { dmonTime, queryTime } from './times.ts';

/*
 * Tables of samples, told apart by their heads:
 *   # gpu    pwr  gtemp … / # Idx      W      C …       nvidia-smi dmon, columns in any order, `-` is unknown
 *   #Date        Time         gpu …                      with -o DT
 *   #gpu, pwr, gtemp                                     with --format csv
 *   # gpu         pid   type …  command                  nvidia-smi pmon
 *   #Entity         GPUTL  SMACT …                       dcgmi dmon: cells by place, an empty one is unknown
 *   timestamp, index, utilization.gpu [%], …             nvidia-smi --query-gpu=… --format=csv -l 1
 *   DCGM_FI_DEV_GPU_UTIL{gpu="0",…} 99                   dcgm-exporter
 */

type Table =
  | {
      readonly kind: 'dmon';
      readonly gpu: number;
      readonly date: number;
      readonly time: number;
      readonly columns: Int16Array;
      readonly csv: boolean;
    }
  | {
      readonly kind: 'pmon';
      readonly gpu: number;
      readonly pid: number;
      readonly command: number;
      readonly type: number;
      readonly sm: number;
      readonly csv: boolean;
    }
  | { readonly kind: 'dcgmi'; readonly from: Int32Array; readonly columns: Int16Array }
  | {
      readonly kind: 'query';
      readonly index: number;
      readonly uuid: number;
      readonly bus: number;
      readonly time: number;
      readonly name: number;
      readonly columns: Int16Array;
      readonly count: number;
    }
  | {
      readonly kind: 'processes';
      readonly uuid: number;
      readonly pid: number;
      readonly name: number;
      readonly count: number;
    };

function namesOf(pick: (row: (typeof metrics)[number]) => readonly string[] | undefined): ReadonlyMap<string, number> {
  return new Map(metrics.flatMap((row, at) => (pick(row) ?? []).map((name) => [name, at] as const)));
}

/** Metrics in percent, by place: more than 100 is no value. */
const percents = Uint8Array.from(metrics, (row) => Number(row.unit === '%'));

const dmonNames = namesOf((row) => row.dmon);
const queryNames = namesOf((row) => row.query);
const tagNames = namesOf((row) => row.tag);

/** Longest line that is read; tables have no longer ones. */
const longest = 16_384;

/** Reads lines of one file into a set of series. Nothing is kept but the head of the table and one row. */
export class SeriesReader {
  private table: Table | null = null;
  private readonly row = emptyRow();
  private readonly starts = new Int32Array(64);
  private readonly ends = new Int32Array(64);
  /** The last date and time as printed: the GPUs of one sample share it. */
  private clockText = '\u0000';
  private clock: number | null = null;
  private lastHead = '';
  private lastTime = -1;
  private days = 0;
  private asked: string | null = null;
  private readonly counters = new Map<string, number>();
  private readonly exporter: ExporterReader;
  private readonly into: SeriesSet;
  private readonly file: string | null;

  constructor(into: SeriesSet, file: string | null) {
    this.into = into;
    this.file = file;
    this.exporter = new ExporterReader(into, file);
  }

  /** True once a table of samples was met. */
  get met(): boolean {
    return this.table !== null || this.exporter.met;
  }

  /** Takes the next line. @returns true where it was a row or a head of a series */
  line(text: string, number: number): boolean {
    if (text.length > longest) return false;
    const first = firstOf(text);
    if (first < 0) return false;
    const code = text.charCodeAt(first);
    if (code === 35 /* # */) return this.head(text, first, number);
    const { table } = this;
    if (table !== null) {
      const taken =
        table.kind === 'dmon'
          ? this.dmon(table, text, number)
          : table.kind === 'pmon'
            ? this.pmon(table, text, number)
            : table.kind === 'dcgmi'
              ? this.dcgmi(table, text, number)
              : this.csv(table, text, number);
      if (taken) return true;
    }
    if ((code === 68 /* D */ || code === 117) /* u */ && this.exporter.line(text, number)) return true;
    if (text.includes('--query-gpu=')) {
      this.asked = /--query-gpu=['"]?([\w.,]{1,2000})/.exec(text)?.[1] ?? null;
      if (this.asked !== null && text.includes('noheader')) this.table = queryTable(this.asked, this.into);
      return this.asked !== null;
    }
    if (text.includes(',')) {
      const named = queryTable(text, this.into) ?? processTable(text);
      if (named !== null) {
        this.table = named;
        this.into.kinds.add(named.kind === 'query' ? 'query' : 'compute-apps');
        if (named.kind === 'processes') this.into.listed.add(null);
        return true;
      }
    }
    return false;
  }

  /** The file ends. */
  end(): void {
    this.exporter.end();
  }

  private head(text: string, first: number, number: number): boolean {
    // A table repeats its head every screenful.
    if (text === this.lastHead && this.table !== null) return true;
    this.lastHead = '';
    if (text.startsWith('#Entity', first)) {
      const found = [...text.matchAll(/\S+/g)].slice(1, 64);
      this.table = {
        kind: 'dcgmi',
        from: Int32Array.from([...found.map((each) => each.index), longest]),
        columns: Int16Array.from(found.map((each) => this.known(tagNames, each[0]))),
      };
      this.into.kinds.add('dcgmi');
      return true;
    }
    if (text.startsWith('# HELP', first) || text.startsWith('# TYPE', first))
      return this.exporter.comment(text, number);
    const csv = text.includes(',');
    const names = text
      .slice(first + 1)
      .trim()
      .split(csv ? ',' : /\s+/)
      .map((name) => name.trim().toLowerCase());
    const gpu = names.indexOf('gpu');
    if (gpu < 0 || names.length < 2) return names[0] === 'idx' || /^(?:hh:|yyyy|id$)/.test(names[0] ?? '');
    const [pid, command] = [names.indexOf('pid'), names.indexOf('command')];
    if (pid >= 0) {
      this.table = { kind: 'pmon', gpu, pid, command, type: names.indexOf('type'), sm: names.indexOf('sm'), csv };
      this.into.kinds.add('pmon');
      return true;
    }
    const columns = Int16Array.from(names.map((name) => this.known(dmonNames, name)));
    if (columns.every((at) => at < 0)) return false;
    this.lastHead = text;
    this.table = { kind: 'dmon', gpu, date: names.indexOf('date'), time: names.indexOf('time'), columns, csv };
    this.into.kinds.add('dmon');
    return true;
  }

  private known(names: ReadonlyMap<string, number>, name: string): number {
    const at = names.get(name) ?? -1;
    if (at >= 0) this.into.columns.add(metrics[at]!.id);
    return at;
  }

  /** Cuts a row at blanks or commas; @returns the number of cells */
  private cut(text: string, csv: boolean): number {
    const { starts, ends } = this;
    let count = 0;
    let at = 0;
    const end = text.length;
    while (at < end && count < 64) {
      while (at < end && text.charCodeAt(at) <= 32) at++;
      if (at >= end) break;
      starts[count] = at;
      if (csv) {
        const comma = text.indexOf(',', at);
        let to = comma < 0 ? end : comma;
        at = to + 1;
        while (to > starts[count]! && text.charCodeAt(to - 1) <= 32) to--;
        ends[count++] = to;
      } else {
        while (at < end && text.charCodeAt(at) > 32) at++;
        ends[count++] = at;
      }
    }
    return count;
  }

  private cell(text: string, at: number): string {
    return text.slice(this.starts[at], this.ends[at]);
  }

  private dmon(table: Extract<Table, { kind: 'dmon' }>, text: string, number: number): boolean {
    const count = this.cut(text, table.csv);
    const { columns, gpu } = table;
    // A cell more or less moves all that come after it.
    if (count !== columns.length) return false;
    const index = unsigned(text, this.starts[gpu]!, this.ends[gpu]!);
    if (!(index >= 0 && index < 1024) || !Number.isInteger(index)) return false;
    const { row } = this;
    let some = false;
    for (let c = 0; c < columns.length; c++) {
      const m = columns[c]!;
      if (m < 0) continue;
      const value = unsigned(text, this.starts[c]!, this.ends[c]!);
      row[m] = value > 100 && percents[m] === 1 ? Number.NaN : value;
      some = true;
    }
    if (!some) return false;
    const { date, time } = table;
    let seconds: number | null = null;
    if (time >= 0 || date >= 0) {
      const [from, to] = [
        this.starts[time < 0 ? date : Math.max(date, time)]!,
        this.ends[time < 0 ? date : Math.max(date, time)]!,
      ];
      const start = this.starts[date < 0 ? time : time < 0 ? date : Math.min(date, time)]!;
      if (from >= start && to - start === this.clockText.length && text.startsWith(this.clockText, start))
        seconds = this.clock;
      else {
        seconds = dmonTime(date < 0 ? null : this.cell(text, date), time < 0 ? null : this.cell(text, time));
        if (seconds !== null && date < 0) seconds = this.onward(seconds);
        this.clockText = text.slice(start, to);
        this.clock = seconds;
      }
    }
    this.put(String(index), seconds, text, number);
    for (let c = 0; c < columns.length; c++) if (columns[c]! >= 0) row[columns[c]!] = Number.NaN;
    return true;
  }

  /** A clock without a date that goes back went over midnight. */
  private onward(seconds: number): number {
    if (this.lastTime >= 0 && seconds < this.lastTime - 43_200) this.days++;
    this.lastTime = seconds;
    return seconds + this.days * 86_400;
  }

  private put(id: string, seconds: number | null, text: string, number: number): void {
    if (seconds === null) this.into.counted = true;
    this.into.add(id, this.row, seconds ?? this.count(id), this, () => ({ file: this.file, line: number, text }));
  }

  /** Without a clock samples of a file count on by themselves. */
  private count(id: string): number {
    const at = (this.counters.get(id) ?? -1) + 1;
    this.counters.set(id, at);
    return at;
  }

  private pmon(table: Extract<Table, { kind: 'pmon' }>, text: string, number: number): boolean {
    const count = this.cut(text, table.csv);
    if (count <= table.pid) return false;
    const gpu = this.cell(text, table.gpu);
    const pid = this.cell(text, table.pid);
    if (!/^\d{1,4}$/.test(gpu)) return false;
    this.into.listed.add(gpu);
    if (!/^\d{1,10}$/.test(pid)) return pid === '-' || pid === '–';
    const name = table.command < 0 ? '' : text.slice(this.starts[table.command] ?? text.length).trim();
    this.into.addProcess(gpu, {
      pid: Number(pid),
      name: name === '' || name === '-' ? null : name.slice(0, 200),
      type: table.type < 0 ? null : this.cell(text, table.type),
      sm: table.sm < 0 ? null : unsigned(text, this.starts[table.sm]!, this.ends[table.sm]!),
      place: { file: this.file, line: number, text },
    });
    return true;
  }

  private dcgmi(table: Extract<Table, { kind: 'dcgmi' }>, text: string, number: number): boolean {
    const gpu = /^(GPU|GPU-I|GPU-CI) {1,4}(\d{1,4})\b/.exec(text);
    if (gpu === null) return /^(?:ID\s*$|Switch|CPU|GPU \d+ LINK)/.test(text);
    const { row } = this;
    let some = false;
    for (let c = 0; c < table.columns.length; c++) {
      const m = table.columns[c]!;
      if (m < 0) continue;
      // A cell may begin a little before its title where it is wide.
      const cell = text.slice(table.from[c], table.from[c + 1]).trim();
      const value = unsigned(cell, 0, cell.length) * (metrics[m]!.scale ?? 1);
      row[m] = value < 9e11 && (value <= 100 || percents[m] === 0) ? value : Number.NaN;
      some = true;
    }
    if (some) this.put(gpu[1] === 'GPU' ? gpu[2]! : `${gpu[1]} ${gpu[2]}`, null, text, number);
    for (const m of table.columns) if (m >= 0) row[m] = Number.NaN;
    return some;
  }

  private csv(table: Extract<Table, { kind: 'query' | 'processes' }>, text: string, number: number): boolean {
    const count = this.cut(text, true);
    if (count !== table.count) return false;
    if (table.kind === 'processes') {
      const pid = this.cell(text, table.pid);
      if (!/^\d{1,10}$/.test(pid)) return false;
      const uuid = table.uuid < 0 ? null : this.cell(text, table.uuid);
      const name = table.name < 0 ? null : this.cell(text, table.name);
      this.into.addProcess(this.into.idOf(null, uuid, null) ?? '?', {
        pid: Number(pid),
        name: name === null || name.startsWith('[') ? null : name.slice(0, 200),
        place: { file: this.file, line: number, text },
      });
      return true;
    }
    const index = table.index < 0 ? null : this.cell(text, table.index);
    const uuid = table.uuid >= 0 ? this.cell(text, table.uuid) : table.bus >= 0 ? this.cell(text, table.bus) : null;
    if (index !== null && !/^\d{1,4}$/.test(index)) return false;
    const id = this.into.idOf(index, uuid, null) ?? '0';
    const { row } = this;
    let some = false;
    for (let c = 0; c < count; c++) {
      const m = table.columns[c]!;
      if (m < 0) continue;
      const value = quantity(this.cell(text, c));
      row[m] = value > 100 && percents[m] === 1 ? Number.NaN : value;
      if (row[m] === row[m]) some = true;
    }
    if (some) {
      const seconds = table.time < 0 ? null : queryTime(this.cell(text, table.time));
      this.put(id, seconds, text, number);
      const series = this.into.gpus.get(id);
      if (table.name >= 0 && series !== undefined) series.name ??= this.cell(text, table.name).slice(0, 80);
    }
    for (const m of table.columns) if (m >= 0) row[m] = Number.NaN;
    return some;
  }
}

function firstOf(text: string): number {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 32) return at;
  return -1;
}

/** A plain number without a sign; NaN for `-`, `N/A`, `ERR!` and all else. */
function unsigned(text: string, from: number, to: number): number {
  if (from >= to || to - from > 15) return to - from > 15 ? quantity(text.slice(from, to)) : Number.NaN;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return quantity(text.slice(from, to));
    value = value * 10 + digit;
  }
  return value;
}

/** A number with its unit behind it, or a mask: `81559 MiB`, `0x4`. */
function quantity(text: string): number {
  if (/^0x[\da-f]{1,16}$/i.test(text)) return Number.parseInt(text, 16);
  const match = /^(\d{1,15}(?:\.\d{1,9})?)(?: ?(?:%|[A-Za-z]{1,4}(?:\/s)?))?$/.exec(text);
  return match === null ? Number.NaN : Number(match[1]);
}

function queryTable(text: string, into: SeriesSet): Extract<Table, { kind: 'query' }> | null {
  const names = text.split(',').map((name) => name.replace(/\[.*/, '').trim());
  const columns = names.map((name) => queryNames.get(name) ?? -1);
  const known = columns.filter((at) => at >= 0).length;
  if (known === 0 || names.length < 2 || names.length > 60 || !names.every((name) => /^[a-z][\w.]{1,80}$/.test(name)))
    return null;
  for (const at of columns) if (at >= 0) into.columns.add(metrics[at]!.id);
  return {
    kind: 'query',
    index: names.indexOf('index'),
    uuid: Math.max(names.indexOf('uuid'), names.indexOf('gpu_uuid')),
    bus: Math.max(names.indexOf('pci.bus_id'), names.indexOf('gpu_bus_id')),
    time: names.indexOf('timestamp'),
    name: Math.max(names.indexOf('name'), names.indexOf('gpu_name')),
    columns: Int16Array.from(columns),
    count: names.length,
  };
}

function processTable(text: string): Extract<Table, { kind: 'processes' }> | null {
  const names = text.split(',').map((name) => name.replace(/\[.*/, '').trim());
  const pid = names.indexOf('pid');
  const name = Math.max(names.indexOf('process_name'), names.indexOf('name'));
  if (pid < 0 || names.length > 12 || (name < 0 && !names.includes('used_gpu_memory'))) return null;
  return { kind: 'processes', uuid: names.indexOf('gpu_uuid'), pid, name, count: names.length };
}
