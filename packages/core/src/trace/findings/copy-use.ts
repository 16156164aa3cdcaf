import type { Direction } from '../model.ts';
import { callKinds, workKinds } from '../model.ts';
import { gapKinds } from './gap-causes.ts';
import { courseOf, Habit } from './habit.ts';
import type { Scene } from './scene.ts';

/** Copies of one kind between host and GPU, and what they cost. */
export class CopyUse {
  count = 0;
  ns = 0;
  bytes = 0;
  /** Time of copies beside which no kernel ran. */
  exposedNs = 0;
  /** Copies that an asynchronous call asked for, and those whose call is known. */
  asynchronous = 0;
  called = 0;
  first = -1;
  /** Pauses beside copies before the first and after the last kernel, ns. */
  pausesOutsideNs = 0;
  /** Rows that nothing hides, for marks; at most 500. */
  readonly bare: number[] = [];
  /** Exposed time and the pauses beside it, over the run. */
  readonly habit: Habit;

  constructor(habit: Habit) {
    this.habit = habit;
  }

  /** GB/s; null without time or size. */
  get rate(): number | null {
    return this.ns > 0 && this.bytes > 0 ? this.bytes / this.ns : null;
  }
}

/** All copies of a GPU. */
export interface Copies {
  readonly all: CopyUse;
  readonly pageable: CopyUse;
  /** From and to page-locked memory, or memory whose kind is not told. */
  readonly pinned: CopyUse;
  /** Of `pinned`: kind not told. */
  readonly untold: number;
  /** Copies of at most `small-copy`, of any memory. */
  readonly small: CopyUse;
  /** Small copies that follow another small copy directly, without a kernel between them. */
  readonly inRuns: number;
  readonly peer: CopyUse;
  readonly toDevice: { readonly ns: number; readonly bytes: number };
  readonly toHost: { readonly ns: number; readonly bytes: number };
  /** Rate of the large page-locked copies, GB/s; null where there are none. */
  readonly pinnedRate: number | null;
  /** Rate of the large copies from and to pageable memory, GB/s; null where there are none. */
  readonly pageableRate: number | null;
}

const betweenHostAndDevice: ReadonlySet<Direction> = new Set(['HtoD', 'DtoH']);

/** Copies that tell a rate: smaller ones show the cost of the call. */
const tellsRate = 1 << 20;

/** Pauses that a copy makes: the thread was kept by it, or launched what follows it late. */
const ofCopies: ReadonlySet<string> = new Set(['copy', 'sync', 'launch', 'queued']);

/** Copies of so few bytes read a number back, as most programs do. */
export const scalarBytes = 64;

/** True where copies fetch single numbers, and the program waits for each: it is the waits that cost. */
export function readsBack(scene: Scene, { all, small, inRuns, toHost }: Copies): boolean {
  return (
    small.count * 2 > all.count &&
    toHost.bytes >= all.bytes / 2 &&
    small.bytes <= small.count * scalarBytes &&
    inRuns * 2 < small.count &&
    scene.waits.count * 2 >= small.count
  );
}

const known = new WeakMap<Scene, Copies>();

/** The copies of a scene, measured when they are first asked for. */
export function copiesOf(scene: Scene): Copies {
  const copies = known.get(scene) ?? measured(scene);
  known.set(scene, copies);
  return copies;
}

/** Linear in rows and gaps. */
function measured(scene: Scene): Copies {
  const { trace, copyRows: rows, computeRows, computing } = scene;
  const { work, routes, calls } = trace;
  const course = courseOf(scene);
  const [all, pageable, pinned, small, peer] = Array.from({ length: 5 }, () => new CopyUse(new Habit(course))) as [
    CopyUse,
    CopyUse,
    CopyUse,
    CopyUse,
    CopyUse,
  ];
  const limit = (scene.limits['small-copy'] ?? 64) * 1024;
  const pauses = pausesOf(scene);
  const toDevice = { ns: 0, bytes: 0 };
  const toHost = { ns: 0, bytes: 0 };
  const fast = { ns: 0, bytes: 0 };
  const staged = { ns: 0, bytes: 0 };
  let [at, inRuns, untold, lastSmall, computed] = [0, 0, 0, false, 0];
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place]!;
    if (computeRows[computed]! < row) {
      computed = firstFrom(computeRows, row);
      lastSmall = false;
    }
    const route = work.detail[row]! < 0 ? undefined : routes[work.detail[row]!];
    const direction = route?.direction ?? 'unknown';
    const [from, to] = [work.start[row]!, work.end[row]!];
    while (at < computing.count && computing.end[at]! <= from) at++;
    let bare = to - from;
    for (let span = at; span < computing.count && computing.start[span]! < to; span++)
      bare -= Math.min(to, computing.end[span]!) - Math.max(from, computing.start[span]!);
    if (direction === 'PtoP') count(peer, row, bare, 0);
    if (!betweenHostAndDevice.has(direction)) {
      lastSmall = false;
      continue;
    }
    const pause = pauses[row]!;
    count(all, row, bare, pause);
    const memory = direction === 'HtoD' ? route!.from : route!.to;
    count(memory === 'pageable' ? pageable : pinned, row, bare, pause);
    if (memory !== 'pageable' && memory !== 'pinned') untold++;
    const way = direction === 'HtoD' ? toDevice : toHost;
    way.ns += to - from;
    way.bytes += work.bytes[row]!;
    const large = memory === 'pinned' ? fast : memory === 'pageable' ? staged : null;
    if (large !== null && work.bytes[row]! >= tellsRate) {
      large.ns += to - from;
      large.bytes += work.bytes[row]!;
    }
    const isSmall = work.bytes[row]! > 0 && work.bytes[row]! <= limit;
    if (isSmall) {
      count(small, row, bare, pause);
      if (lastSmall) inRuns++;
    }
    lastSmall = isSmall;
  }
  return {
    all,
    pageable,
    pinned,
    untold,
    small,
    inRuns,
    peer,
    toDevice,
    toHost,
    pinnedRate: fast.ns > 0 ? fast.bytes / fast.ns : null,
    pageableRate: staged.ns > 0 ? staged.bytes / staged.ns : null,
  };

  function count(use: CopyUse, row: number, bare: number, pause: number): void {
    const call = work.call[row]!;
    if (use.first < 0) use.first = row;
    use.count++;
    use.ns += work.end[row]! - work.start[row]!;
    use.bytes += work.bytes[row]!;
    use.exposedNs += bare;
    if (bare > 0 && use.bare.length < 500) use.bare.push(row);
    if (call >= 0) {
      use.called++;
      if (calls.kind[call] === callKinds.copyAsync) use.asynchronous++;
    }
    if (work.start[row]! < course.from || work.start[row]! > course.to) use.pausesOutsideNs += pause;
    use.habit.add(work.start[row]!, bare + pause);
  }
}

/** First place of a sorted list whose value is not below another. */
function firstFrom(list: Uint32Array, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Pauses beside each row, ns: before it where it is a copy, else behind the copy before it. */
function pausesOf(scene: Scene): Float64Array {
  const { gaps, gapCauses, rows } = scene;
  const { work } = scene.trace;
  const pauses = new Float64Array(work.count);
  if (scene.copyRows.length === 0) return pauses;
  // Without calls, a pause beside a copy that is no longer than the CPU takes for the next call is the copy's.
  const untold = scene.trace.calls.count === 0 ? gapKinds.indexOf('unknown') : -1;
  const short = (scene.limits['host-pause'] ?? 200) * 1000;
  const ofThem = gapKinds.map((kind) => ofCopies.has(kind));
  let [place, last] = [0, -1];
  for (let gap = 0; gap < gaps.count; gap++) {
    const from = gaps.start[gap]!;
    // The row that ended last before the gap.
    while (place < rows.length && work.start[rows[place]!]! <= from) {
      if (last < 0 || work.end[rows[place]!]! >= work.end[last]!) last = rows[place]!;
      place++;
    }
    const next = gapCauses.next[gap]!;
    const beside = next >= 0 && work.kind[next] === workKinds.copy ? next : last;
    if (beside < 0 || work.kind[beside] !== workKinds.copy) continue;
    const kind = gapCauses.kind[gap]!;
    if (!ofThem[kind] && (kind !== untold || gaps.end[gap]! - from > short)) continue;
    pauses[beside] = pauses[beside]! + gaps.end[gap]! - from;
  }
  return pauses;
}
