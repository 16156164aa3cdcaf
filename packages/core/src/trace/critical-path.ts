import { orderOf } from './columns.ts';
import { callKinds, workKinds } from './model.ts';
import type { Trace } from './model.ts';
import { plainCallName } from './calls.ts';

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

/** A start within so long after its launch, or after the work before it on its stream, waited for nothing else. */
const promptNs = 10_000;
/** Work that ended so shortly before a start is what it waited for, whatever else runs. */
const closeNs = 20_000;
/** Work may still end so long after what waited for it began: its last blocks leave one by one. */
const overlapNs = 2000;
/** Works that end within `overlapNs` of a start and began after it are passed over, up to so many. */
const mostPassed = 64;

/**
 * An estimate of the critical path: from the end of the last work backwards, each time to what ended last of what it had
 * to wait for: the work before it on its stream, the call that launched it, and for a wait of the CPU the work that it
 * waited for. Work that starts long after both is presumed to have waited for what another stream of its GPU ended last
 * or was still running (an event, the default stream, room), or for what another GPU of its process ended just then. Pages
 * of managed memory that move are nobody's launch: they are part of the kernel or the code that waits for them. Locks of
 * the host are not seen. Takes n log n of the events; null for a trace without launched work.
 */
export function criticalPath(trace: Trace): CriticalPath | null {
  const { work, calls } = trace;
  const moves = movesPages(trace);
  const byEnd = endingOrder(trace, moves);
  if (byEnd.length === 0) return null;
  const walk = new Walk(trace);
  const before = previousOf(work.stream, work.count, moves);
  const calledBefore = previousOf(calls.thread, calls.count, null);
  const waitedFor = dependencies(trace, byEnd, moves);
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
      const ready = Math.max(previousEnd, launched);
      const other = at - ready > promptNs && ready > -Infinity ? waitedFor(row, at, ready) : -1;
      if (other >= 0) {
        at = walk.latency(at, Math.min(at, work.end[other]!));
        row = other;
      } else if (launch >= 0 && launched > previousEnd) {
        at = walk.latency(at, launched);
        [row, call] = [-1, launch];
      } else if (previous >= 0) {
        at = walk.latency(at, previousEnd);
        row = previous;
      } else break;
      continue;
    }
    const begin = calls.start[call]!;
    const waited = waiting.has(calls.kind[call]!)
      ? lastEnding(work.end, byEnd, begin, Math.min(at, calls.end[call]!), work.count)
      : -1;
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

/** 1 for each copy that moves pages of managed memory; null where there is none. */
function movesPages({ work, routes }: Trace): Uint8Array | null {
  const paged = routes.map(({ direction }) => direction.startsWith('UVM_'));
  if (!paged.includes(true)) return null;
  return Uint8Array.from(work.kind, (kind, row) =>
    kind === workKinds.copy && paged[work.detail[row]!] === true ? 1 : 0,
  );
}

/** The rows of launched work by their end. */
function endingOrder({ work }: Trace, moves: Uint8Array | null): Uint32Array {
  const order = orderOf(work.end) ?? Uint32Array.from({ length: work.count }, (_, row) => row);
  return moves === null ? order : order.filter((row) => moves[row] === 0);
}

/** The row before `limit` that ended last after `from` and until `to`, of rows in the order of their ends; -1 for none. */
function lastEnding(ends: Float64Array, byEnd: Uint32Array, from: number, to: number, limit: number): number {
  let [low, high] = [0, byEnd.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[byEnd[middle]!]! <= to) low = middle + 1;
    else high = middle;
  }
  for (const least = Math.max(0, low - mostPassed); low > least; low--) {
    const row = byEnd[low - 1]!;
    if (ends[row]! <= from) return -1;
    if (row < limit) return row;
  }
  return -1;
}

/**
 * What work that was ready at one time and began at a later one is presumed to have waited for: a row that began before it,
 * or -1. Its tables are made when it is first asked, which a trace of one full stream never does.
 */
function dependencies(
  trace: Trace,
  byEnd: Uint32Array,
  moves: Uint8Array | null,
): (row: number, start: number, ready: number) => number {
  const { work, streams } = trace;
  const deviceOf = (row: number): number => streams[work.stream[row]!]?.device ?? 0;
  const processOf = (row: number): number => streams[work.stream[row]!]?.process ?? 0;
  const devices = new Set(streams.map(({ device }) => device));
  let ofDevice: readonly Uint32Array[] | null = null;
  /** For each row the one before it on its device that ends last of all before it. */
  let longest: Int32Array | null = null;
  return (row, start, ready) => {
    ofDevice ??= devices.size < 2 ? [] : parted(byEnd, deviceOf);
    const rows = ofDevice[deviceOf(row)] ?? byEnd;
    longest ??= longestBefore(work.end, work.count, deviceOf, moves);
    const near = start - closeNs;
    const own = lastEnding(work.end, rows, ready, start + overlapNs, row);
    if (own >= 0 && work.end[own]! >= near) return own;
    if (devices.size > 1) {
      const other = lastEnding(work.end, byEnd, Math.max(ready, near), start + overlapNs, row);
      if (other >= 0 && processOf(other) === processOf(row)) return other;
    }
    const running = longest[row]!;
    return running >= 0 && work.end[running]! > start && work.stream[running] !== work.stream[row] ? running : own;
  };
}

/** The rows of each group, in their order. */
function parted(rows: Uint32Array, groupOf: (row: number) => number): readonly Uint32Array[] {
  const counts: number[] = [];
  for (const row of rows) counts[groupOf(row)] = (counts[groupOf(row)] ?? 0) + 1;
  const parts = Array.from(counts, (count) => new Uint32Array(count ?? 0));
  const filled = parts.map(() => 0);
  for (const row of rows) {
    const group = groupOf(row);
    parts[group]![filled[group]!++] = row;
  }
  return parts;
}

/** For each row the one before it in its group that ends last of all of them; -1 for the first. */
function longestBefore(
  ends: Float64Array,
  count: number,
  groupOf: (row: number) => number,
  moves: Uint8Array | null,
): Int32Array {
  const latest: number[] = [];
  const longest = new Int32Array(count);
  for (let row = 0; row < count; row++) {
    const group = groupOf(row);
    const known = latest[group] ?? -1;
    longest[row] = known;
    if (moves?.[row] !== 1 && (known < 0 || ends[row]! >= ends[known]!)) latest[group] = row;
  }
  return longest;
}

/** For each row the row before it of the same group (stream, thread) that is not left out; -1 for the first. */
function previousOf(groups: Uint16Array, count: number, leftOut: Uint8Array | null): Int32Array {
  const latest = new Int32Array(65_536).fill(-1);
  const previous = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    previous[at] = latest[groups[at]!]!;
    if (leftOut?.[at] !== 1) latest[groups[at]!] = at;
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

  /** Names of calls lose the suffix of their version, so that several become one. */
  #joinCalls(): void {
    const calls = new Map<string, { kind: PathKind; name: string; count: number; totalNs: number }>();
    for (const part of this.#sums.get('call')?.values() ?? []) {
      const name = plainCallName(part.name);
      const known = calls.get(name);
      if (known === undefined) calls.set(name, { ...part, name });
      else {
        known.count += part.count;
        known.totalNs += part.totalNs;
      }
    }
    this.#sums.set('call', calls);
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
    this.#joinCalls();
    return [...this.#sums.values()]
      .flatMap((ofKind) => [...ofKind.values()])
      .sort((a, b) => b.totalNs - a.totalNs || (a.name < b.name ? -1 : 1));
  }
}
