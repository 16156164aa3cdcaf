import type { NumberIndex, Order } from './columns.ts';
import { Column, indexFor, orderOf, rowOrder } from './columns.ts';
import { callKindOf, isPerThreadCall } from './calls.ts';
import type {
  Calls,
  Collective,
  PageFaults,
  Range,
  Route,
  SampledMetric,
  Shape,
  Stream,
  Synchronisation,
  Trace,
  TraceDevice,
  TraceFormat,
  TraceQuote,
  TraceSums,
  Work,
} from './model.ts';
import { callKinds } from './model.ts';

/** Rows of one time that are compared with each other for being the same. */
const mostAlike = 64;

/** More GPUs, and parts of them, than any host has. */
const mostDevices = 256;

/** What a reader knows of one stretch of GPU work. */
export interface WorkRow {
  /** One of `workKinds`. */
  readonly kind: number;
  /** Nanoseconds from the builder's zero. */
  readonly start: number;
  readonly end: number;
  /** Indices as `stream()` and `name()` gave them. */
  readonly stream: number;
  readonly name: number;
  /** As the call has it, unique for its process; -1 where not told. */
  readonly correlation: number;
  /** As `shape()` or `route()` gave it, or -1. */
  readonly detail: number;
  readonly bytes: number;
  readonly graphNode: number;
}

/** Gathers what a reader finds, in any order, into a `Trace`. */
export class TraceBuilder {
  readonly format: TraceFormat;
  readonly file: string | null;
  zero = 0n;
  producer: string | null = null;
  rank: number | null = null;
  partial = false;
  ranks: number | null = null;
  sums: TraceSums | null = null;
  /** The number of the legacy default stream of a context: CUPTI shows it as 7, ROCm as 0. */
  legacyStream = 7;
  readonly synchronisations: Synchronisation[] = [];
  readonly ranges: Range[] = [];
  readonly metrics: SampledMetric[] = [];
  readonly notRecorded: Set<string> = new Set();
  readonly left: string[] = [];
  readonly quotes: Map<string, TraceQuote> = new Map();
  #devices: TraceDevice[] = [];
  #streams: Omit<Stream, 'role'>[] = [];
  #streamOf = new Map<string, number>();
  #threads: { readonly process: number; readonly thread: number; name: string | null }[] = [];
  #threadOf = new Map<string, number>();
  #names: string[] = [];
  #nameOf = new Map<string, number>();
  #shapes: Shape[] = [];
  #shapeOf = new Map<string, number>();
  #routes: Route[] = [];
  #routeOf = new Map<string, number>();
  #collectives = new Map<number, Collective>();
  #work = {
    start: new Column(Float64Array),
    end: new Column(Float64Array),
    kind: new Column(Uint8Array),
    stream: new Column(Uint16Array),
    name: new Column(Uint32Array),
    correlation: new Column(Float64Array),
    detail: new Column(Int32Array),
    bytes: new Column(Float64Array),
    graphNode: null as Column<Float64Array> | null,
  };
  #calls = {
    start: new Column(Float64Array),
    end: new Column(Float64Array),
    name: new Column(Uint32Array),
    thread: new Column(Uint16Array),
    correlation: new Column(Float64Array),
  };
  #faults = {
    start: new Column(Float64Array),
    end: new Column(Float64Array),
    pages: new Column(Float64Array),
    device: new Column(Int16Array),
    address: new Column(Float64Array),
  };
  #isFinished = false;
  #backwards = 0;
  #devicesLost = new Set<number>();

  constructor(format: TraceFormat, file: string | null) {
    this.format = format;
    this.file = file;
  }

  /** Adds a device, or what is known of it by now; @returns its index */
  device(id: number, known: Partial<TraceDevice> = {}): number {
    const at = this.#devices.findIndex((device) => device.id === id);
    if (at < 0 && this.#devices.length >= mostDevices) {
      this.#devicesLost.add(id);
      return 0;
    }
    const none = { name: null, computeCapability: null, sms: null, memoryBytes: null, bandwidth: null, clockHz: null };
    if (at < 0) return this.#devices.push({ ...none, uuid: null, ...known, id }) - 1;
    this.#devices[at] = { ...this.#devices[at]!, ...known, id };
    return at;
  }

  /** @param device as `device()` gave it; @returns the index of the stream, at most 65,535 */
  stream(device: number, process: number, context: number | null, id: number, blocking?: boolean): number {
    const key = `${device} ${process} ${context ?? ''} ${id}`;
    const known = this.#streamOf.get(key);
    if (known !== undefined) return known;
    const at = Math.min(65_535, this.#streams.length);
    if (at === this.#streams.length) {
      this.#streams.push({ device, process, context, id, ...(blocking === undefined ? {} : { blocking }) });
      this.#streamOf.set(key, at);
    }
    return at;
  }

  thread(process: number, thread: number, name: string | null = null): number {
    const key = `${process} ${thread}`;
    const known = this.#threadOf.get(key);
    if (known !== undefined) {
      if (name !== null) this.#threads[known]!.name = name;
      return known;
    }
    const at = Math.min(65_535, this.#threads.length);
    if (at === this.#threads.length) {
      this.#threads.push({ process, thread, name });
      this.#threadOf.set(key, at);
    }
    return at;
  }

  name(text: string): number {
    const known = this.#nameOf.get(text);
    if (known !== undefined) return known;
    this.#nameOf.set(text, this.#names.length);
    return this.#names.push(text) - 1;
  }

  shape(shape: Shape): number {
    const key = `${shape.grid.join()} ${shape.block.join()} ${shape.registers} ${shape.staticShared} ${shape.dynamicShared}`;
    const known = this.#shapeOf.get(key);
    if (known !== undefined) return known;
    this.#shapeOf.set(key, this.#shapes.length);
    return this.#shapes.push(shape) - 1;
  }

  route(route: Route): number {
    const key = `${route.direction} ${route.from} ${route.to} ${route.migrationCause}`;
    const known = this.#routeOf.get(key);
    if (known !== undefined) return known;
    this.#routeOf.set(key, this.#routes.length);
    return this.#routes.push(route) - 1;
  }

  work(row: WorkRow, collective: Collective | null = null): void {
    const columns = this.#work;
    if (collective !== null) this.#collectives.set(columns.start.length, collective);
    if (row.graphNode > 0 && columns.graphNode === null) {
      columns.graphNode = new Column(Float64Array);
      for (let index = 0; index < columns.start.length; index++) columns.graphNode.push(0);
    }
    // A column may move when it grows: its place is asked for before its array.
    let at = columns.start.next();
    columns.start.data[at] = row.start;
    at = columns.end.next();
    columns.end.data[at] = this.#forwards(row.start, row.end);
    at = columns.kind.next();
    columns.kind.data[at] = row.kind;
    at = columns.stream.next();
    columns.stream.data[at] = row.stream;
    at = columns.name.next();
    columns.name.data[at] = row.name;
    at = columns.correlation.next();
    columns.correlation.data[at] = row.correlation;
    at = columns.detail.next();
    columns.detail.data[at] = row.detail;
    at = columns.bytes.next();
    columns.bytes.data[at] = row.bytes;
    if (columns.graphNode === null) return;
    at = columns.graphNode.next();
    columns.graphNode.data[at] = row.graphNode;
  }

  call(start: number, end: number, name: number, thread: number, correlation: number): void {
    const columns = this.#calls;
    let at = columns.start.next();
    columns.start.data[at] = start;
    at = columns.end.next();
    columns.end.data[at] = this.#forwards(start, end);
    at = columns.name.next();
    columns.name.data[at] = name;
    at = columns.thread.next();
    columns.thread.data[at] = thread;
    at = columns.correlation.next();
    columns.correlation.data[at] = correlation;
  }

  fault(start: number, end: number, pages: number, device: number, address: number): void {
    const columns = this.#faults;
    columns.start.push(start);
    columns.end.push(this.#forwards(start, end));
    columns.pages.push(pages);
    columns.device.push(device);
    columns.address.push(address);
  }

  /** Makes room for rows at once, where a reader knows how many will come. */
  reserve(work: number, calls: number): void {
    for (const [columns, rows] of [
      [this.#work, work],
      [this.#calls, calls],
    ] as const)
      for (const column of Object.values(columns)) column?.reserve(column.length + rows);
  }

  /** How many events of the GPU, and calls, were added. */
  get size(): { readonly work: number; readonly calls: number } {
    return { work: this.#work.start.length, calls: this.#calls.start.length };
  }

  /** Ids of the devices that have a stream. */
  usedDevices(): ReadonlySet<number> {
    return new Set(this.#streams.map((stream) => this.#devices[stream.device]!.id));
  }

  /** Moves the zero to the first event, where a reader met a later one first; all rows are to be there. */
  startAtZero(): void {
    const timed = [this.#work, this.#calls, this.#faults];
    let least = Infinity;
    for (const { start } of timed) for (let at = 0; at < start.length; at++) least = Math.min(least, start.at(at));
    for (const { start } of [...this.ranges, ...this.synchronisations]) least = Math.min(least, start);
    if (!Number.isFinite(least) || least === 0) return;
    least = Math.floor(least);
    for (const { start, end } of timed) {
      for (let at = 0; at < start.length; at++) {
        start.set(at, start.at(at) - least);
        end.set(at, end.at(at) - least);
      }
    }
    const moved = (rows: { readonly start: number; readonly end: number }[]): void => {
      for (const [at, row] of rows.entries()) rows[at] = { ...row, start: row.start - least, end: row.end - least };
    };
    moved(this.ranges);
    moved(this.synchronisations);
    this.zero += BigInt(least);
  }

  #forwards(start: number, end: number): number {
    if (end >= start) return end;
    this.#backwards++;
    return start;
  }

  /** Sorts, joins work with the calls that started it, and tells the default streams. The builder is used up. */
  finish(): Trace {
    if (this.#isFinished) throw new Error('the rows of this builder have moved into its trace');
    this.#isFinished = true;
    if (this.#backwards > 0) this.left.push(`${this.#backwards} events end before they start; they count as points`);
    if (this.#devicesLost.size > 0)
      this.left.push(`work of ${this.#devicesLost.size} GPUs beyond the first ${mostDevices} counts to the first one`);
    const calls = this.#finishCalls();
    const { work, order } = this.#finishWork(calls.byCorrelation);
    return {
      format: this.format,
      file: this.file,
      producer: this.producer,
      rank: this.rank,
      ranks: this.ranks,
      zero: this.zero,
      devices: this.#devices,
      streams: this.#roles(work, calls.calls),
      threads: this.#threads,
      names: this.#names,
      shapes: this.#shapes,
      routes: this.#routes,
      work,
      calls: calls.calls,
      synchronisations: this.synchronisations.sort((a, b) => a.start - b.start),
      faults: this.#finishFaults(),
      ranges: this.ranges.sort((a, b) => a.start - b.start || b.end - a.end),
      collectives: this.#reordered(order),
      metrics: this.metrics,
      quotes: this.quotes,
      sums: this.sums,
      notRecorded: [...this.notRecorded].sort(),
      left: this.left,
      partial: this.partial,
    };
  }

  #finishCalls(): { readonly calls: Calls; readonly byCorrelation: Pick<NumberIndex, 'get'> } {
    const columns = this.#calls;
    const order = rowOrder(orderOf(columns.start.view()));
    const name = columns.name.ordered(order);
    const correlation = columns.correlation.ordered(order);
    const kindOfName = new Uint8Array(this.#names.length);
    const asked = new Uint8Array(this.#names.length);
    const kind = new Uint8Array(name.length);
    const byCorrelation = indexFor(correlation);
    for (let index = 0; index < name.length; index++) {
      const at = name[index]!;
      if (asked[at] === 0) {
        kindOfName[at] = callKindOf(this.#names[at]!);
        asked[at] = 1;
      }
      kind[index] = kindOfName[at]!;
      // A driver call inside a runtime call has the same number: the one that starts work counts, and the outer is first.
      if (kind[index] !== callKinds.other) byCorrelation.add(correlation[index]!, index);
    }
    for (let index = 0; index < name.length; index++)
      if (kind[index] === callKinds.other) byCorrelation.add(correlation[index]!, index);
    return {
      byCorrelation,
      calls: {
        count: name.length,
        start: columns.start.ordered(order, correlation),
        end: columns.end.ordered(order, columns.start.data),
        kind,
        name,
        thread: columns.thread.ordered(order),
      },
    };
  }

  #finishWork(byCorrelation: Pick<NumberIndex, 'get'>): { readonly work: Work; readonly order: Order | null } {
    const columns = this.#work;
    const order = rowOrder(this.#withoutCopies(orderOf(columns.start.view())));
    const correlation = columns.correlation.ordered(order);
    const call = new Int32Array(correlation.length);
    for (let index = 0; index < call.length; index++) call[index] = byCorrelation.get(correlation[index]!);
    // Each column moves into the memory of the one before it, which has moved already.
    return {
      order,
      work: {
        count: call.length,
        start: columns.start.ordered(order, correlation),
        end: columns.end.ordered(order, columns.start.data),
        kind: columns.kind.ordered(order),
        stream: columns.stream.ordered(order),
        name: columns.name.ordered(order),
        call,
        detail: columns.detail.ordered(order),
        bytes: columns.bytes.ordered(order, columns.end.data),
        graphNode: columns.graphNode?.ordered(order, columns.bytes.data) ?? null,
      },
    };
  }

  /** Leaves out rows that are there twice: traces that were put together from parts repeat some. */
  #withoutCopies(order: Uint32Array | null): Uint32Array | null {
    const { start, end, stream, name, correlation, graphNode } = this.#work;
    const at = (index: number): number => (order === null ? index : order[index]!);
    const isCopy = (index: number): boolean => {
      const row = at(index);
      if (correlation.at(row) < 0) return false;
      for (let back = index - 1; back >= 0 && index - back <= mostAlike; back--) {
        const other = at(back);
        if (start.at(other) !== start.at(row)) return false;
        const alike = end.at(other) === end.at(row) && stream.at(other) === stream.at(row);
        if (!alike || name.at(other) !== name.at(row) || correlation.at(other) !== correlation.at(row)) continue;
        if (graphNode === null || graphNode.at(other) === graphNode.at(row)) return true;
      }
      return false;
    };
    let kept: Uint32Array | null = null;
    let count = 0;
    for (let index = 0; index < start.length; index++) {
      if (!isCopy(index)) {
        if (kept !== null) kept[count] = at(index);
        count++;
      } else if (kept === null) {
        kept = new Uint32Array(start.length);
        for (let before = 0; before < index; before++) kept[before] = at(before);
      }
    }
    if (kept === null) return order;
    this.left.push(`${start.length - count} events of the GPU are there twice and count once`);
    return kept.subarray(0, count);
  }

  #finishFaults(): PageFaults {
    const columns = this.#faults;
    const order = rowOrder(orderOf(columns.start.view()));
    return {
      count: columns.start.length,
      start: columns.start.ordered(order),
      end: columns.end.ordered(order),
      pages: columns.pages.ordered(order),
      device: columns.device.ordered(order),
      address: columns.address.ordered(order),
    };
  }

  #reordered(order: Order | null): ReadonlyMap<number, Collective> {
    if (order === null || this.#collectives.size === 0) return this.#collectives;
    const moved = new Map<number, Collective>();
    for (let index = 0; index < order.from.length; index++) {
      const found = this.#collectives.get(order.from[index]!);
      if (found !== undefined) moved.set(index, found);
    }
    return moved;
  }

  /** Stream 7 is the legacy default stream, unless the calls that use it are those of the per-thread build. */
  #roles(work: Work, calls: Calls): readonly Stream[] {
    const perThreadName = this.#names.map(isPerThreadCall);
    const perThread = new Float64Array(this.#streams.length);
    const known = new Float64Array(this.#streams.length);
    for (let index = 0; index < work.count; index++) {
      const call = work.call[index]!;
      if (call < 0) continue;
      const stream = work.stream[index]!;
      known[stream] = known[stream]! + 1;
      if (perThreadName[calls.name[call]!] === true) perThread[stream] = perThread[stream]! + 1;
    }
    return this.#streams.map((stream, at) => ({
      ...stream,
      role:
        perThread[at]! > 0 && perThread[at] === known[at]
          ? 'per-thread'
          : stream.id === this.legacyStream
            ? 'legacy'
            : 'other',
    }));
  }
}
