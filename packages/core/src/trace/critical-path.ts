import { orderOf } from './columns.ts';
import { callKinds, workKinds } from './model.ts';
import type { Trace } from './model.ts';

/** What a stretch of the critical path was. `latency`: from a launch to its start; `program`: the program's own code between calls. */
export type PathKind = 'kernel' | 'collective' | 'copy' | 'memset' | 'graph' | 'call' | 'program' | 'latency';

export interface PathPart {
  readonly kind: PathKind;
  /** Name of the kernel, copy or call; empty for the program and for latency. */
  readonly name: string;
  readonly count: number;
  readonly totalNs: number;
}

export interface CriticalPath {
  readonly totalNs: number;
  /** Those with the most time first. */
  readonly parts: readonly PathPart[];
}

/** Calls that end when the GPU has done what was asked before. */
const waiting: ReadonlySet<number> = new Set([
  callKinds.deviceSync,
  callKinds.streamSync,
  callKinds.eventSync,
  callKinds.copy,
]);

/**
 * An estimate of the critical path: from the end of the last work backwards, each time to what ended last of what it had
 * to wait for: the work before it on its stream, the call that launched it, and for a wait of the CPU the work that it
 * waited for. Edges that the trace does not record (events between streams, locks of the host) are not seen. The walk is
 * linear in the number of events. Null for a trace without work.
 */
export function criticalPath(trace: Trace): CriticalPath | null {
  const { work, calls } = trace;
  if (work.count === 0) return null;
  const walk = new Walk(trace);
  const before = previousOf(work.stream, work.count, (row) => row);
  const calledBefore = previousOf(calls.thread, calls.count, (row) => row);
  const byEnd = orderOf(work.end) ?? Uint32Array.from({ length: work.count }, (_, row) => row);
  const ends = Float64Array.from(byEnd, (row) => work.end[row]!);
  const lastEnding = (from: number, to: number): number => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle]! <= to) low = middle + 1;
      else high = middle;
    }
    return low > 0 && ends[low - 1]! > from ? byEnd[low - 1]! : -1;
  };
  const last = byEnd.at(-1)!;
  const end = work.end[last]!;
  let at = end;
  let [row, call] = [last, -1];
  // Every step goes to an earlier event; the bound only guards against events of no length that name each other.
  for (let steps = 0; steps < 2 * (work.count + calls.count) + 2; steps++) {
    if (row >= 0) {
      at = walk.work(row, Math.min(at, work.end[row]!), work.start[row]!);
      const previous = before[row]!;
      const previousEnd = previous < 0 ? -Infinity : Math.min(at, work.end[previous]!);
      const launch = work.call[row]!;
      const launched = launch < 0 ? -Infinity : Math.min(at, calls.end[launch]!);
      if (launch >= 0 && launched > previousEnd) {
        at = walk.latency(at, launched);
        [row, call] = [-1, launch];
      } else if (previous >= 0) {
        at = walk.latency(at, previousEnd);
        row = previous;
      } else break;
      continue;
    }
    const begin = calls.start[call]!;
    const waited = waiting.has(calls.kind[call]!) ? lastEnding(begin, Math.min(at, calls.end[call]!)) : -1;
    if (waited >= 0) {
      at = walk.call(call, at, Math.min(at, work.end[waited]!));
      [row, call] = [waited, -1];
      continue;
    }
    at = walk.call(call, at, begin);
    let previous = calledBefore[call]!;
    // A call inside another one began after it: the path goes on with what ended before.
    while (previous >= 0 && calls.end[previous]! > begin) previous = calledBefore[previous]!;
    if (previous < 0) break;
    at = walk.program(at, calls.end[previous]!);
    call = previous;
  }
  return { totalNs: end - at, parts: walk.parts() };
}

/** For each row the row before it of the same group (stream, thread); -1 for the first. */
function previousOf(groups: Uint16Array, count: number, row: (at: number) => number): Int32Array {
  const latest = new Int32Array(65_536).fill(-1);
  const previous = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    previous[at] = latest[groups[at]!]!;
    latest[groups[at]!] = row(at);
  }
  return previous;
}

/** Sums stretches of the path by what they were. */
const kindsOfPath: Readonly<Record<number, PathKind>> = {
  [workKinds.kernel]: 'kernel',
  [workKinds.copy]: 'copy',
  [workKinds.memset]: 'memset',
  [workKinds.graph]: 'graph',
};

class Walk {
  readonly #trace: Trace;
  /** By kind, then by name: a key of both would be made for every event. */
  readonly #sums = new Map<PathKind, Map<string, { kind: PathKind; name: string; count: number; totalNs: number }>>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Adds a stretch; @returns its begin */
  #add(kind: PathKind, name: string, to: number, from: number): number {
    if (to <= from) return Math.min(to, from);
    let ofKind = this.#sums.get(kind);
    if (ofKind === undefined) this.#sums.set(kind, (ofKind = new Map()));
    let sum = ofKind.get(name);
    if (sum === undefined) ofKind.set(name, (sum = { kind, name, count: 0, totalNs: 0 }));
    sum.count++;
    sum.totalNs += to - from;
    return from;
  }

  work(row: number, to: number, from: number): number {
    const { work, names } = this.#trace;
    const name = names[work.name[row]!] ?? '';
    const kind = kindsOfPath[work.kind[row]!] ?? 'kernel';
    return this.#add(kind === 'kernel' && name.startsWith('nccl') ? 'collective' : kind, name, to, from);
  }

  call(call: number, to: number, from: number): number {
    const { calls, names } = this.#trace;
    return this.#add('call', names[calls.name[call]!] ?? '', to, from);
  }

  latency(to: number, from: number): number {
    return this.#add('latency', '', to, from);
  }

  program(to: number, from: number): number {
    return this.#add('program', '', to, from);
  }

  parts(): readonly PathPart[] {
    return [...this.#sums.values()]
      .flatMap((ofKind) => [...ofKind.values()])
      .sort((a, b) => b.totalNs - a.totalNs || (a.name < b.name ? -1 : 1));
  }
}
