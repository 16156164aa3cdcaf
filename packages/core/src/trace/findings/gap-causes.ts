import { callKinds } from '../model.ts';
import type { Spans } from '../spans.ts';
import { unionOf, without } from '../spans.ts';
import type { Scene } from './scene.ts';

/*
 * Why nothing ran. A gap ends with some work; the thread whose call started that work was late, and what it did since the
 * GPU ran dry is the cause. A call that was under way when the GPU ran dry and that waits for the GPU (a
 * synchronisation, a copy, a free) kept the thread from running ahead: what follows it up to the launch is its cost too.
 */

/**
 * `capture`: calls are recorded into a graph and not run; `sync`: waiting for the GPU; `copy`: a copy that keeps the CPU; `alloc`: allocating or freeing; `launch`: the CPU
 * launches more slowly than the GPU works; `loader`: input; `compile`: kernels are loaded or compiled; `host`: the thread
 * did something that the trace does not show; `queued`: the work was launched in time and the GPU started it late (events,
 * other streams, its own latency); `unknown`: no call is recorded.
 */
export const gapKinds = [
  'sync',
  'copy',
  'alloc',
  'launch',
  'loader',
  'compile',
  'capture',
  'host',
  'queued',
  'unknown',
] as const;
export type GapKind = (typeof gapKinds)[number];

export interface GapCauses {
  /** Index in `gapKinds` of what most of the gap went to, by gap. */
  readonly kind: Uint8Array;
  /** Work that ended the gap, row of `Trace.work`. */
  readonly next: Int32Array;
  /** Nanoseconds by cause, all gaps together, and the gaps that each leads. */
  readonly totals: Readonly<Record<GapKind, { readonly ns: number; readonly gaps: number }>>;
  /** Gaps no longer than the GPU itself takes from one kernel to the next that is queued, ns together. */
  readonly latencyNs: number;
  /** Of `totals.launch`: what lies in the scene's `pauses`, which are no habit. */
  readonly pausedLaunchNs: number;
}

/** What a launch takes to reach the GPU, ns; a call that returned no longer ago than this was no time ahead. */
const latency = 5000;
/** The longest gap between two kernels of which the second was queued in time that counts as the GPU's own, ns. */
const ownLatency = 3000;

const at = Object.fromEntries(gapKinds.map((kind, index) => [kind, index])) as Readonly<Record<GapKind, number>>;

/** Index in `gapKinds` by kind of call; 255 where the call is no cause by itself. */
const kindOfCall: Uint8Array = new Uint8Array(256).fill(255);
for (const kind of [callKinds.deviceSync, callKinds.streamSync, callKinds.eventSync]) kindOfCall[kind] = at.sync;
for (const kind of [callKinds.copy, callKinds.copyAsync]) kindOfCall[kind] = at.copy;
for (const kind of [
  callKinds.malloc,
  callKinds.free,
  callKinds.mallocAsync,
  callKinds.freeAsync,
  callKinds.hostAlloc,
  callKinds.hostFree,
  callKinds.mallocManaged,
])
  kindOfCall[kind] = at.alloc;
for (const kind of [callKinds.moduleLoad, callKinds.graphInstantiate, callKinds.graphCapture])
  kindOfCall[kind] = at.compile;

/** Calls of each thread, by their start. */
function callsByThread(scene: Scene): readonly Uint32Array[] {
  const { calls, threads } = scene.trace;
  const { thread } = calls;
  const counts = new Uint32Array(threads.length);
  for (let call = 0; call < calls.count; call++) counts[thread[call]!] = counts[thread[call]!]! + 1;
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let call = 0; call < calls.count; call++) {
    const own = thread[call]!;
    lists[own]![counts[own]!] = call;
    counts[own] = counts[own]! + 1;
  }
  return lists;
}

/** A stretch in which a thread that works for the GPU says that it loads or compiles. */
interface Told {
  readonly from: number;
  readonly to: number;
  readonly kind: number;
}

/** Such stretches, sorted, none over another. */
function toldOf(scene: Scene): readonly Told[] {
  const of = (kind: 'loader' | 'compile'): Spans => {
    const ranges = scene.trace.ranges.filter(
      (range) => range.kind === kind && (range.thread < 0 || scene.threads.has(range.thread)),
    );
    return unionOf(
      Float64Array.from(ranges, ({ start }) => start),
      Float64Array.from(ranges, ({ end }) => end),
    );
  };
  const list = (spans: Spans, kind: number): readonly Told[] =>
    Array.from(spans.start, (from, index) => ({ from, to: spans.end[index]!, kind }));
  const compiling = of('compile');
  return [...list(compiling, at.compile), ...list(without(of('loader'), compiling), at.loader)].sort(
    (a, b) => a.from - b.from,
  );
}

/**
 * The causes of the gaps of a scene.
 * Takes time linear in gaps and calls, times the depth to which calls are nested.
 */
export function gapCausesOf(scene: Scene): GapCauses {
  const { gaps, rows } = scene;
  const { work, calls } = scene.trace;
  const pause = (scene.limits['host-pause'] ?? 200) * 1000;
  const kind = new Uint8Array(gaps.count);
  const next = new Int32Array(gaps.count).fill(-1);
  const ns = new Float64Array(gapKinds.length);
  const led = new Uint32Array(gapKinds.length);
  const lists = callsByThread(scene);
  const told = toldOf(scene);
  const parts = new Float64Array(gapKinds.length);
  const captures = capturesOf(scene);
  const { pauses } = scene;
  let [place, firstTold, latencyNs, pausedLaunchNs, nextPause] = [0, 0, 0, 0, 0];
  /** True between the calls that begin and end the capture of a graph: what is launched there does not run. */
  let capturing = false;

  /** What a thread did from one time to another where no call is recorded. */
  const quiet = (from: number, to: number, blocked: number): void => {
    let left = to - from;
    for (let index = firstTold; index < told.length && told[index]!.from < to; index++) {
      const range = told[index]!;
      const shared = Math.min(left, Math.max(0, Math.min(to, range.to) - Math.max(from, range.from)));
      parts[range.kind] = parts[range.kind]! + shared;
      left -= shared;
    }
    const rest = capturing ? at.capture : left > pause ? at.host : blocked === 255 ? at.launch : blocked;
    parts[rest] = parts[rest]! + left;
  };

  for (let gap = 0; gap < gaps.count; gap++) {
    const from = gaps.start[gap]!;
    const to = gaps.end[gap]!;
    while (place < rows.length && work.start[rows[place]!]! < to) place++;
    let row = rows[place] ?? -1;
    const ranLast = place > 0 ? work.call[rows[place - 1]!]! : -1;
    // Of several that start together, one whose call is known and late.
    for (let other = place; other < rows.length && work.start[rows[other]!] === to; other++) {
      const call = work.call[rows[other]!]!;
      if (call >= 0 && (work.call[row]! < 0 || calls.start[call]! < calls.start[work.call[row]!]!)) row = rows[other]!;
    }
    next[gap] = row;
    const call = row < 0 ? -1 : work.call[row]!;
    const isQueued =
      call >= 0 &&
      (calls.end[call]! < from - latency || (calls.start[call]! < from && kindOfCall[calls.kind[call]!] === at.copy));
    let most = call < 0 ? at.unknown : at.queued;
    if (call < 0 || isQueued) ns[most] = ns[most]! + to - from;
    else {
      for (let each = 0; each < parts.length; each++) parts[each] = 0;
      const thread = calls.thread[call]!;
      const issue = Math.max(from, Math.min(to, calls.start[call]!));
      while (firstTold < told.length && told[firstTold]!.to < from) firstTold++;
      const list = lists[thread]!;
      let index = lowerBound(list, calls.start, from);
      // Calls that were under way: at most a few are nested.
      let blocked = 255;
      for (let back = index - 1; back >= 0 && back >= index - 4; back--) {
        const before = list[back]!;
        if (calls.end[before]! < from) continue;
        const is = kindOfCall[calls.kind[before]!]!;
        if (is !== 255 && before !== call) blocked = is;
        // A launch that returns after its kernel has ended waits for it.
        if (is === 255 && before !== call && before === ranLast) blocked = at.sync;
      }
      index = Math.max(0, index - 4);
      let covered = from;
      capturing = false;
      for (; index < list.length && calls.start[list[index]!]! < issue; index++) {
        const other = list[index]!;
        const until = Math.min(issue, calls.end[other]!);
        if (calls.kind[other] === callKinds.graphCapture) capturing = captures[calls.name[other]!] === 1;
        if (until <= covered || other === call) continue;
        if (calls.start[other]! > covered) quiet(covered, calls.start[other]!, blocked);
        const begins = Math.max(covered, calls.start[other]!);
        const is = kindOfCall[calls.kind[other]!]!;
        // A long call of another kind is no part of a launch.
        const waits = until - begins > pause ? at.host : blocked === 255 ? at.launch : blocked;
        const plain = capturing ? at.capture : waits;
        const counted = is !== 255 ? is : plain;
        parts[counted] = parts[counted]! + until - begins;
        covered = until;
      }
      if (covered < issue) quiet(covered, issue, blocked);
      capturing = false;
      // The call itself, and its way to the GPU. A launch that takes long loads its kernel first.
      const own = kindOfCall[calls.kind[call]!]!;
      const loads = to - issue > pause && calls.end[call]! - calls.start[call]! > pause && own === 255;
      const plain = loads ? at.compile : blocked === 255 ? at.launch : blocked;
      const launch = own !== 255 && own !== at.copy ? own : plain;
      // What was launched and starts long after is late for another reason: its stream waits for something.
      const returned = Math.max(issue, calls.end[call]! + latency);
      const queued = own === 255 && !loads && blocked === 255 && to - returned > pause ? to - returned : 0;
      parts[at.queued] = parts[at.queued]! + queued;
      parts[launch] = parts[launch]! + to - issue - queued;
      if (gap === pauses[nextPause]) pausedLaunchNs += parts[at.launch]!;
      most = at.unknown;
      for (let each = 0; each < parts.length; each++) {
        ns[each] = ns[each]! + parts[each]!;
        if (parts[each]! > parts[most]!) most = each;
      }
    }
    kind[gap] = most;
    if (gap === pauses[nextPause]) nextPause++;
    if ((most === at.queued || most === at.unknown) && to - from <= ownLatency) latencyNs += to - from;
    led[most] = led[most]! + 1;
  }
  const totals = Object.fromEntries(
    gapKinds.map((each, index) => [each, { ns: ns[index]!, gaps: led[index]! }]),
  ) as GapCauses['totals'];
  return { kind, next, totals, latencyNs, pausedLaunchNs };
}

/** By index in `Trace.names`: 1 where a call of the name begins to capture a graph. */
function capturesOf(scene: Scene): Uint8Array {
  return Uint8Array.from(scene.trace.names, (name) => Number(/^(?:cuda|cu|hip)StreamBeginCapture/.test(name)));
}

/** First place in a list whose time is not before another. */
function lowerBound(list: Uint32Array, times: Float64Array, time: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[list[middle]!]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
