import type { Document } from '../model/document.ts';
import { withoutSequences } from '../text/clean.ts';
import { firstOf, quantity, unsigned } from './cells.ts';
import type { Clock } from './gpu-series.ts';
import { emptyRow } from './gpu-series.ts';
import { kernelEvent, processOwner } from './kernel-lines.ts';
import { metrics } from './metrics.rows.ts';
import { QueryBlocks } from './query-blocks.ts';
import type { SeriesSet } from './series-set.ts';
import { ExporterReader } from './exporter.ts';
import type { Table } from './tables.ts';
import { dmonNames, percents, processTable, queryTable, tagNames } from './tables.ts';
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
  private lastClock: Clock | null = null;
  private readonly counters = new Map<string, number>();
  /** Each kind of table is a source of its own, also where one file has several. */
  private readonly sources: Readonly<Record<Table['kind'], object>> = {
    dmon: {},
    pmon: {},
    dcgmi: {},
    query: {},
    processes: {},
  };
  private readonly ids = new Map<number, string>();
  private readonly blocks: QueryBlocks;
  private readonly exporter: ExporterReader;
  private readonly into: SeriesSet;
  private readonly file: string | null;
  private readonly host: string | null;

  /** @param host the machine it is of, where several are read */
  constructor(into: SeriesSet, file: string | null, host: string | null = null) {
    this.into = into;
    this.file = file;
    this.host = host;
    this.exporter = new ExporterReader(into, file);
    this.blocks = new QueryBlocks(host, (state) => {
      const id = into.idOf(state.index, state.uuid, host, state.bus);
      if (id !== null) into.beside.addState(state, id);
    });
  }

  /** True once a table of samples was met. */
  get met(): boolean {
    return this.table !== null || this.exporter.met;
  }

  /** Takes the next line. @returns true where it was a row or a head of a series */
  line(given: string, number: number): boolean {
    if (given.length > longest) return false;
    // `watch -c` and terminals colour what they show.
    const text = withoutSequences(given);
    const first = firstOf(text);
    if (first < 0) return false;
    const code = text.charCodeAt(first);
    const mayOpen = code === 61; /* = */
    if ((mayOpen || this.blocks.open) && this.blocks.line(text, () => ({ file: this.file, line: number, text }))) {
      this.table = null;
      return true;
    }
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
    if (text.includes('Xid (')) return this.kernel(text, number);
    if (text.includes(' uid=') && code >= 48 && code <= 57) {
      const owner = processOwner(text);
      if (owner !== null) this.into.beside.addOwner(owner.pid, owner.user, owner.job);
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
        else this.clockText = '\u0000';
        return true;
      }
    }
    return false;
  }

  /** Takes all lines of a document that nobody only told of; those of a probe are read without its frame. */
  document(document: Document): void {
    for (const { text, told, number } of document.lines)
      if (!told) this.line(text.startsWith('|') ? text.slice(1) : text, number);
    this.end();
  }

  /** The file ends. */
  end(): void {
    this.exporter.end();
    this.blocks.end();
  }

  /** An Xid or an SXid of the kernel. */
  private kernel(text: string, number: number): boolean {
    const found = kernelEvent(text);
    if (found === null) return false;
    const { bus, ...event } = found;
    const place = { file: this.file, line: number, text };
    this.into.beside.addEvent({ ...event, gpu: this.into.atBus(bus, this.host), place });
    return true;
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
    let id = this.ids.get(index);
    if (id === undefined) this.ids.set(index, (id = this.into.idOf(String(index), null, this.host)!));
    this.put(id, seconds, date < 0 ? 'day' : 'local', this.sources.dmon, text, number);
    for (let c = 0; c < columns.length; c++) if (columns[c]! >= 0) row[columns[c]!] = Number.NaN;
    return true;
  }

  /** A clock without a date that goes back went over midnight. */
  private onward(seconds: number): number {
    if (this.lastTime >= 0 && seconds < this.lastTime - 43_200) this.days++;
    this.lastTime = seconds;
    return seconds + this.days * 86_400;
  }

  private put(id: string, seconds: number | null, clock: Clock, source: object, text: string, number: number): void {
    const told = seconds === null ? 'count' : clock;
    if (seconds === null) this.into.counted = true;
    if (this.lastClock !== told) this.into.timed((this.lastClock = told), this.file);
    const at = seconds ?? this.count(`${source === this.sources.dcgmi ? 'dcgmi ' : ''}${id}`);
    this.into.add(id, this.row, at, source, () => ({ file: this.file, line: number, text }), told);
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
    const id = this.into.idOf(gpu, null, this.host)!;
    this.into.listed.add(id);
    if (!/^\d{1,10}$/.test(pid)) return pid === '-' || pid === '–';
    const name = table.command < 0 ? '' : text.slice(this.starts[table.command] ?? text.length).trim();
    this.into.addProcess(id, {
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
    // Two words name the entity. Where no cell is empty their order counts: a pasted table need not keep its columns.
    const whole = this.cut(text, false) === table.columns.length + 2;
    for (let c = 0; c < table.columns.length; c++) {
      const m = table.columns[c]!;
      if (m < 0) continue;
      // A cell may begin a little before its title where it is wide.
      const cell = whole ? this.cell(text, c + 2) : text.slice(table.from[c], table.from[c + 1]).trim();
      const value = unsigned(cell, 0, cell.length) * (metrics[m]!.scale ?? 1);
      row[m] = value < 9e11 && (value <= 100 || percents[m] === 0) ? value : Number.NaN;
      some = true;
    }
    if (some) {
      const id = this.into.idOf(gpu[1] === 'GPU' ? gpu[2]! : `${gpu[1]} ${gpu[2]}`, null, this.host)!;
      this.put(id, null, 'count', this.sources.dcgmi, text, number);
    }
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
      const bus = table.bus < 0 ? null : this.cell(text, table.bus);
      const name = table.name < 0 ? null : this.cell(text, table.name);
      this.into.addProcess(this.into.idOf(null, uuid, this.host, bus) ?? '?', {
        pid: Number(pid),
        name: name === null || name.startsWith('[') ? null : name.slice(0, 200),
        place: { file: this.file, line: number, text },
      });
      return true;
    }
    const index = table.index < 0 ? null : this.cell(text, table.index);
    const uuid = table.uuid < 0 ? null : this.cell(text, table.uuid);
    const bus = table.bus < 0 ? null : this.cell(text, table.bus);
    if (index !== null && !/^\d{1,4}$/.test(index)) return false;
    const id = this.into.idOf(index, uuid, this.host, bus) ?? this.into.idOf('0', null, this.host)!;
    const { row } = this;
    let some = false;
    for (let c = 0; c < count; c++) {
      const m = table.columns[c]!;
      if (m < 0) continue;
      const value = quantity(this.cell(text, c));
      row[m] = value > 100 && percents[m] === 1 ? Number.NaN : value;
      some = true;
    }
    // A row of which nothing is a number is a sample too, of which nothing is known.
    if (some) {
      const seconds = table.time < 0 ? null : queryTime(this.cell(text, table.time));
      this.put(id, seconds, 'local', this.sources.query, text, number);
      const series = this.into.gpus.get(id);
      if (table.name >= 0 && series !== undefined) series.name ??= this.cell(text, table.name).slice(0, 80);
    }
    for (const m of table.columns) if (m >= 0) row[m] = Number.NaN;
    return some;
  }
}
