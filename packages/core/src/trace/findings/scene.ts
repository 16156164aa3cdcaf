import type { Range, Stream, Trace, TraceFinding, TraceQuote } from '../model.ts';
import { callKinds, workKinds } from '../model.ts';
import type { NumberOfTrace } from '../numbers.ts';
import { numbersOf } from '../numbers.ts';
import type { Spans } from '../spans.ts';
import { gapsOf, lengthOf, unionOf, unionOfRows } from '../spans.ts';
import type { GapCauses } from './gap-causes.ts';
import { gapCausesOf } from './gap-causes.ts';
import { courseOf, Habit } from './habit.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';

/** What one stream of the GPU did. */
export interface StreamUse {
  /** Index in `Trace.streams`. */
  readonly index: number;
  readonly stream: Stream;
  /** Rows of `Trace.work`, by their start. */
  readonly rows: Uint32Array;
  readonly kernels: number;
  readonly copies: number;
  readonly graphs: number;
  /** When it had work: the union of its rows. */
  readonly busy: Spans;
  readonly busyNs: number;
  /** When it had kernels or graphs. */
  readonly computing: Spans;
}

/** The kernels of one name. */
export interface KernelUse {
  /** Index in `Trace.names`. */
  readonly name: number;
  readonly text: string;
  readonly count: number;
  readonly totalNs: number;
  readonly longestNs: number;
  readonly firstRow: number;
}

/** Calls of some kinds. */
export interface CallUse {
  readonly count: number;
  readonly totalNs: number;
  /** Index in `Trace.calls`; -1 where there is none. */
  readonly first: number;
}

type Quote = TraceFinding['quotes'][number];

/** One GPU of one trace, with what several detectors ask of it; each is computed when it is first asked for. */
export class Scene {
  readonly trace: Trace;
  /** Index in `Trace.devices`. */
  readonly device: number;
  /** Rank of the trace; its place in the list where it does not say. */
  readonly rank: number;
  /** True for the first device of the trace that has work: what belongs to no device is told there. */
  readonly first: boolean;
  /** True where another device of the trace has work too. */
  readonly shared: boolean;
  /** True where no other trace is judged with it. */
  readonly alone: boolean;
  readonly limits: TraceLimits;
  #kept = new Map<string, unknown>();

  constructor(
    trace: Trace,
    device: number,
    place: { readonly rank: number; readonly first: boolean; readonly shared: boolean; readonly alone: boolean },
    limits: TraceLimits = defaultTraceLimits,
  ) {
    this.trace = trace;
    this.device = device;
    this.rank = place.rank;
    this.first = place.first;
    this.shared = place.shared;
    this.alone = place.alone;
    this.limits = limits;
  }

  #once<Value>(name: string, make: () => Value): Value {
    if (!this.#kept.has(name)) this.#kept.set(name, make());
    return this.#kept.get(name) as Value;
  }

  /** The numbers of this device, by their name without a prefix. */
  get numbers(): ReadonlyMap<string, NumberOfTrace> {
    return this.#once('numbers', () => numbersOf(this));
  }

  /** A number; 0 where the trace does not have it: ask `numbers` where that matters. */
  number(name: string): number {
    const value = this.numbers.get(name);
    return typeof value === 'number' ? value : 0;
  }

  /** True for a row of `Trace.work` on this device. */
  isHere(row: number): boolean {
    return !this.shared || this.trace.streams[this.trace.work.stream[row]!]!.device === this.device;
  }

  /** Rows of `Trace.work` on this device, by their start. */
  get rows(): Uint32Array {
    return this.#once('rows', () => {
      const { count } = this.trace.work;
      const rows = new Uint32Array(count);
      let at = 0;
      if (this.shared) for (let row = 0; row < count; row++) if (this.isHere(row)) rows[at++] = row;
      if (!this.shared) for (; at < count; at++) rows[at] = at;
      return rows.subarray(0, at);
    });
  }

  /** Rows of this device by kind (`workKinds`), each list by its start. */
  get #byKind(): readonly Uint32Array[] {
    return this.#once('byKind', () => {
      const { kind } = this.trace.work;
      const { rows } = this;
      const counts = [0, 0, 0, 0];
      for (let at = 0; at < rows.length; at++) {
        const is = kind[rows[at]!]!;
        counts[is] = counts[is]! + 1;
      }
      return counts.map((count, wanted) => {
        if (count === rows.length) return rows;
        const own = new Uint32Array(count);
        let next = 0;
        for (let at = 0; next < count; at++) if (kind[rows[at]!] === wanted) own[next++] = rows[at]!;
        return own;
      });
    });
  }

  get kernelRows(): Uint32Array {
    return this.#byKind[workKinds.kernel]!;
  }

  get copyRows(): Uint32Array {
    return this.#byKind[workKinds.copy]!;
  }

  get graphRows(): Uint32Array {
    return this.#byKind[workKinds.graph]!;
  }

  /** Rows of kernels and graphs, by their start. */
  get computeRows(): Uint32Array {
    if (this.graphRows.length === 0) return this.kernelRows;
    return this.#once('computeRows', () => {
      const { kind } = this.trace.work;
      return this.rows.filter((row) => kind[row] === workKinds.kernel || kind[row] === workKinds.graph);
    });
  }

  /** Union of the rows of this device that a test takes. */
  union(take: (row: number) => boolean): Spans {
    const { start, end } = this.trace.work;
    return unionOf(start, end, this.shared ? (row) => this.isHere(row) && take(row) : take);
  }

  /** Kernels, copies, memsets and graphs together. */
  get busy(): Spans {
    const { start, end } = this.trace.work;
    return this.#once('busy', () => {
      const [only, ...others] = this.streams;
      if (only !== undefined && others.length === 0) return only.busy;
      return this.shared ? this.union(() => true) : unionOf(start, end);
    });
  }

  /** Kernels and graphs. */
  get computing(): Spans {
    const { start, end } = this.trace.work;
    return this.#once('computing', () => {
      const [only, ...others] = this.streams.filter((use) => use.kernels + use.graphs > 0);
      if (only !== undefined && others.length === 0) return only.computing;
      if (this.streams.every((use) => use.busy === use.computing)) return this.busy;
      return unionOfRows(start, end, this.computeRows);
    });
  }

  get copying(): Spans {
    const { start, end } = this.trace.work;
    return this.#once('copying', () => unionOfRows(start, end, this.copyRows));
  }

  /** Where nothing ran on the GPU, between its first and its last work. */
  get gaps(): Spans {
    return this.#once('gaps', () => gapsOf(this.busy));
  }

  /** What the CPU did in each of `gaps`. */
  get gapCauses(): GapCauses {
    return this.#once('gapCauses', () => gapCausesOf(this));
  }

  /** From the first start to the last end of the work, ns. */
  get spanNs(): number {
    const { count, start, end } = this.busy;
    return count === 0 ? 0 : end[count - 1]! - start[0]!;
  }

  get busyNs(): number {
    return this.#once('busyNs', () => lengthOf(this.busy));
  }

  get idleNs(): number {
    return this.spanNs - this.busyNs;
  }

  /**
   * Idle time that recurs: without the longest gaps, which may be a start or a pause, and without what the GPU itself
   * takes between kernels that are queued. Share of the rest of the span.
   */
  get habitualIdle(): { readonly ns: number; readonly share: number } {
    return this.#once('habitualIdle', () => {
      const pauses = this.pausesNs;
      const ns = Math.max(0, this.idleNs - pauses - this.gapCauses.latencyNs);
      const rest = this.spanNs - pauses;
      return { ns, share: rest <= 0 ? 0 : ns / rest };
    });
  }

  /**
   * The longest of `gaps`, in their order, as far as they are no habit: a start, an evaluation, a pause. A few that are
   * long alike and lie all over the run are a habit of few steps.
   */
  get pauses(): readonly number[] {
    return this.#once('pauses', () => {
      const longest = longestOf(this.gaps, this.limits['repeats']! - 1);
      return this.#recur(longest) ? [] : longest.toSorted((a, b) => a - b);
    });
  }

  /** Length of `pauses` together. */
  get pausesNs(): number {
    const { start, end } = this.gaps;
    return this.pauses.reduce((sum, gap) => sum + end[gap]! - start[gap]!, 0);
  }

  /** True where at least three gaps, the longest first, are long alike and begin in different parts of the work. */
  #recur(longest: readonly number[]): boolean {
    const { start, end } = this.gaps;
    const lengthOfGap = (gap: number): number => end[gap]! - start[gap]!;
    const [first] = longest;
    if (first === undefined) return false;
    const alike = longest.filter((gap) => 2 * lengthOfGap(gap) >= lengthOfGap(first));
    const habit = new Habit(courseOf(this));
    for (const gap of alike) habit.add(start[gap]!, lengthOfGap(gap));
    return (
      this.percent(alike.reduce((sum, gap) => sum + lengthOfGap(gap), 0)) >= this.limits['idle-share']! && habit.recurs
    );
  }

  /** Share of the span, in %. */
  percent(ns: number): number {
    return this.spanNs === 0 ? 0 : (100 * ns) / this.spanNs;
  }

  /** Streams that had work, the one with most of it first. */
  get streams(): readonly StreamUse[] {
    return this.#once('streams', () => {
      const { trace } = this;
      const { start, end, kind, stream } = trace.work;
      const counts = new Uint32Array(trace.streams.length);
      const all = this.rows;
      for (let index = 0; index < all.length; index++) {
        const own = stream[all[index]!]!;
        counts[own] = counts[own]! + 1;
      }
      const rowsOf = Array.from(counts, (count) => (count === 0 ? null : new Uint32Array(count)));
      const at = new Uint32Array(counts.length);
      for (let index = 0; index < all.length; index++) {
        const own = stream[all[index]!]!;
        const place = at[own]!;
        rowsOf[own]![place] = all[index]!;
        at[own] = place + 1;
      }
      const uses = rowsOf.flatMap((rows, index): StreamUse[] => {
        if (rows === null) return [];
        const kinds = [0, 0, 0, 0];
        for (let place = 0; place < rows.length; place++) {
          const is = kind[rows[place]!]!;
          kinds[is] = kinds[is]! + 1;
        }
        const compute = (row: number): boolean => kind[row] === workKinds.kernel || kind[row] === workKinds.graph;
        const busy = unionOfRows(start, end, rows);
        return [
          {
            index,
            stream: trace.streams[index]!,
            rows,
            kernels: kinds[workKinds.kernel]!,
            copies: kinds[workKinds.copy]!,
            graphs: kinds[workKinds.graph]!,
            busy,
            busyNs: lengthOf(busy),
            computing:
              (kinds[workKinds.copy] ?? 0) + (kinds[workKinds.memset] ?? 0) === 0
                ? busy
                : unionOfRows(start, end, rows, compute),
          },
        ];
      });
      return uses.sort((a, b) => b.busyNs - a.busyNs);
    });
  }

  /** Kernels by name, the name with most time first. */
  get kernels(): readonly KernelUse[] {
    return this.#once('kernels', () => {
      const { names, work } = this.trace;
      const count = new Uint32Array(names.length);
      const total = new Float64Array(names.length);
      const longest = new Float64Array(names.length);
      const first = new Int32Array(names.length).fill(-1);
      const rows = this.kernelRows;
      for (let place = 0; place < rows.length; place++) {
        const row = rows[place]!;
        const name = work.name[row]!;
        const took = work.end[row]! - work.start[row]!;
        count[name] = count[name]! + 1;
        total[name] = total[name]! + took;
        if (took > longest[name]!) longest[name] = took;
        if (first[name]! < 0) first[name] = row;
      }
      const uses: KernelUse[] = [];
      for (let name = 0; name < names.length; name++)
        if (count[name]! > 0)
          uses.push({
            name,
            text: names[name]!,
            count: count[name]!,
            totalNs: total[name]!,
            longestNs: longest[name]!,
            firstRow: first[name]!,
          });
      return uses.sort((a, b) => b.totalNs - a.totalNs || a.firstRow - b.firstRow);
    });
  }

  /** True for a name of NCCL's kernels, by index in `Trace.names`. */
  get ofNccl(): Uint8Array {
    return this.#once('ofNccl', () => Uint8Array.from(this.trace.names, (name) => Number(name.startsWith('nccl'))));
  }

  /** Steps that a profiler or the program marked. */
  get steps(): readonly Range[] {
    return this.#once('steps', () => this.trace.ranges.filter((range) => range.kind === 'step'));
  }

  /** Threads whose calls started work on this device, by index in `Trace.threads`. */
  get threads(): ReadonlySet<number> {
    return this.#once('threads', () => {
      const { trace } = this;
      const { work, calls } = trace;
      const seen = new Uint8Array(trace.threads.length);
      const { rows } = this;
      for (let at = 0; at < rows.length; at++) {
        const call = work.call[rows[at]!]!;
        if (call >= 0) seen[calls.thread[call]!] = 1;
      }
      return new Set([...seen.keys()].filter((thread) => seen[thread] === 1));
    });
  }

  /** Calls by threads that work for this device, by their start; every call where the trace has one device. */
  get calls(): Uint32Array {
    return this.#once('calls', () => {
      const { calls } = this.trace;
      const { threads } = this;
      const rows = new Uint32Array(calls.count);
      let at = 0;
      for (let call = 0; call < calls.count; call++)
        if (!this.shared || threads.has(calls.thread[call]!)) rows[at++] = call;
      return rows.subarray(0, at);
    });
  }

  /** How many calls of some kinds (`callKinds`) there are, and how long they took. */
  callsOf(...kinds: readonly number[]): CallUse {
    const uses = kinds.map((kind) => this.#callUses[kind]!).filter(({ count }) => count > 0);
    return {
      count: uses.reduce((sum, use) => sum + use.count, 0),
      totalNs: uses.reduce((sum, use) => sum + use.totalNs, 0),
      first: uses.length === 0 ? -1 : Math.min(...uses.map(({ first }) => first)),
    };
  }

  /** By kind of call. */
  get #callUses(): readonly CallUse[] {
    return this.#once('callUses', () => {
      const { kind, start, end } = this.trace.calls;
      const kinds = Object.keys(callKinds).length;
      const count = new Float64Array(kinds);
      const total = new Float64Array(kinds);
      const first = new Int32Array(kinds).fill(-1);
      const { calls } = this;
      for (let at = 0; at < calls.length; at++) {
        const call = calls[at]!;
        const is = kind[call]!;
        if (first[is]! < 0) first[is] = call;
        count[is] = count[is]! + 1;
        total[is] = total[is]! + end[call]! - start[call]!;
      }
      return Array.from(count, (each, is) => ({ count: each, totalNs: total[is]!, first: first[is]! }));
    });
  }

  /** Waits of the CPU for the GPU. */
  get waits(): CallUse {
    return this.callsOf(callKinds.deviceSync, callKinds.streamSync, callKinds.eventSync);
  }

  get launches(): CallUse {
    return this.callsOf(callKinds.launch, callKinds.graphLaunch);
  }

  /** `GPU 1`, `rank 3`, or nothing where there is only one. */
  get called(): string {
    const device = this.shared ? `GPU ${this.trace.devices[this.device]!.id}` : '';
    const rank = this.alone ? '' : `rank ${this.rank}`;
    return [rank, device].filter((part) => part !== '').join(', ');
  }

  /** What the trace says of a row of work. */
  quote(row: number): Quote {
    const { work, names, streams, quotes, file } = this.trace;
    const known = quotes.get(`work:${work.name[row]!}:${work.stream[row]!}`);
    const word = (['kernel', 'copy', 'memset', 'graph'] as const)[work.kind[row]!] ?? 'work';
    const text = `${word} ${names[work.name[row]!] ?? ''}, stream ${streams[work.stream[row]!]?.id ?? '?'}, start ${work.start[row]!} ns, duration ${work.end[row]! - work.start[row]!} ns`;
    return { file, quote: known ?? ({ line: row + 1, text } satisfies TraceQuote) };
  }

  /** What the trace says of a call. */
  quoteCall(call: number): Quote {
    const { calls, names, quotes, file } = this.trace;
    const known = quotes.get(`call:${calls.name[call]!}`);
    const text = `call ${names[calls.name[call]!] ?? ''}, start ${calls.start[call]!} ns, duration ${calls.end[call]! - calls.start[call]!} ns`;
    return { file, quote: known ?? ({ line: call + 1, text } satisfies TraceQuote) };
  }

  /** A quote of the first work there is; empty where there is none. */
  get anyQuote(): readonly Quote[] {
    return this.rows.length === 0 ? [] : [this.quote(this.kernels[0]?.firstRow ?? this.rows[0]!)];
  }
}

/** The longest stretches, the longest first. */
function longestOf(spans: Spans, most: number): readonly number[] {
  const longest: number[] = [];
  const { start, end } = spans;
  let least = -1;
  for (let at = 0; at < spans.count; at++) {
    if (longest.length >= most && end[at]! - start[at]! <= least) continue;
    longest.push(at);
    longest.sort((a, b) => end[b]! - start[b]! - (end[a]! - start[a]!));
    if (longest.length > most) longest.pop();
    const last = longest.at(-1);
    if (last !== undefined) least = end[last]! - start[last]!;
  }
  return longest;
}

/** One scene for each device with work of each trace: ranks in order, devices by number. */
export function scenesOf(traces: readonly Trace[], limits: TraceLimits = defaultTraceLimits): readonly Scene[] {
  return ranked(traces).flatMap(({ trace, rank }) => {
    const busy = new Uint8Array(2 ** 16);
    const { stream } = trace.work;
    for (let row = 0; row < stream.length; row++) busy[stream[row]!] = 1;
    const used = new Uint8Array(trace.devices.length);
    for (let each = 0; each < busy.length; each++) if (busy[each] === 1) used[trace.streams[each]?.device ?? 0] = 1;
    const devices = [...used.keys()]
      .filter((device) => used[device] === 1)
      .sort((a, b) => trace.devices[a]!.id - trace.devices[b]!.id);
    return devices.map(
      (device, at) =>
        new Scene(
          trace,
          device,
          { rank, first: at === 0, shared: devices.length > 1, alone: traces.length === 1 },
          limits,
        ),
    );
  });
}

/** Traces in the order of their ranks; those that do not say theirs, or say another's, take the numbers that are free. */
export function ranked(traces: readonly Trace[]): readonly { readonly trace: Trace; readonly rank: number }[] {
  const taken = new Set<number>();
  const own = traces.map((trace) => {
    if (trace.rank === null || taken.has(trace.rank)) return null;
    taken.add(trace.rank);
    return trace.rank;
  });
  let free = 0;
  const all = traces.map((trace, at) => {
    let rank = own[at] ?? null;
    if (rank === null) {
      while (taken.has(free)) free++;
      rank = free;
      taken.add(free);
    }
    return { trace, rank };
  });
  return all.sort((a, b) => a.rank - b.rank);
}
