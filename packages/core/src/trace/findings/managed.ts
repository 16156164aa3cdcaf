import type { TraceFinding } from '../model.ts';
import { callKinds } from '../model.ts';
import type { Spans } from '../spans.ts';
import { lengthOf, unionOf, without } from '../spans.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, waste } from './detector.ts';
import { gapKinds } from './gap-causes.ts';
import { courseOf, Habit } from './habit.ts';
import type { Scene } from './scene.ts';
import { fetchedText, pushedOut } from './pushed-out.ts';
import { sizeText } from './text.ts';

/** CUPTI, CUpti_ActivityUnifiedMemoryMigrationCause: by cudaMemPrefetchAsync, ahead by the driver, to make room. */
const causes = { user: 1, prefetch: 3, eviction: 4 } as const;

/** What a fault of the GPU costs at least, ns: a page of 4 KiB at the rate of a link. */
const leastPerFault = 1000;

/** Managed memory is tracked in blocks of this size. */
const blockBytes = 2 << 20;

export interface Migrations {
  readonly count: number;
  /** Rows that no prefetch made. */
  readonly rows: readonly number[];
  /** Of `rows`: those that made room for others. */
  readonly evictions: readonly number[];
  /** Rows that a prefetch made, and their bytes by direction. */
  readonly fetches: readonly number[];
  readonly prefetched: { readonly toDevice: number; readonly toHost: number };
  readonly toDevice: number;
  readonly toHost: number;
  /** Bytes of evictions: what makes room goes to the host. What comes back for it bears the same cause, and is none. */
  readonly evicted: number;
  /** How often the direction of the demanded migrations turns. */
  readonly turns: number;
}

/**
 * Managed memory that moves on faults while kernels wait, in which direction, and whether the same pages go back and
 * forth; or that was fetched ahead. CUDA programming guide, unified memory; CUPTI, unified memory counters.
 */
export const managed: Detector = (scene, limits) => {
  const { faults, notRecorded } = scene.trace;
  const moved = migrationsOf(scene);
  const own: number[] = [];
  let pages = 0;
  for (let row = 0; row < faults.count; row++) {
    if (faults.device[row] !== scene.device) continue;
    own.push(row);
    pages += faults.pages[row]!;
  }
  if (moved.count === 0 && own.length === 0) return [];
  const stalls = stallsOf(scene, moved, own);
  const touched = touchedKernels(scene, stalls);
  const habit = touched.habit;
  const cost = Math.max(
    lengthOf(stalls),
    touched.knownExcessNs,
    Math.min(habit.ns + habit.outsideNs, pages * leastPerFault),
  );
  const share = (100 * cost) / Math.max(1, scene.spanNs);
  const unseen = own.length === 0 && notRecorded.includes('page-faults');
  // Pages that are pushed out to make room were not asked for by a fault: what made the room too small did that.
  const asked = moved.rows.length - moved.evictions.length;
  const demanded =
    own.length > 0 ? pages >= limits['page-faults']! : asked >= limits['repeats']! && !isFetchedAhead(scene, moved);
  const needed = habit.lasts ? limits['waste-share']! : limits['first-touch-share']!;
  if (demanded && share >= needed)
    return [fault(scene, limits, { moved, own, pages, stalls, touched, cost, share, unseen, needed })];
  if (moved.evictions.length > 0) {
    const found = pushedOut(scene, limits, moved);
    if (found !== null) return [found];
  }
  if (moved.fetches.length > 0 || calledPrefetch(scene))
    return [
      healthy(
        'ok-managed-prefetched',
        `managed memory is fetched ahead (${fetchedText(moved)}), ${pages === 0 ? (unseen ? 'and faults were not recorded' : 'and no page faults on the GPU') : `and ${pages} pages fault on the GPU`}`,
        [against('time in which pages move', share, '<', limits, 'waste-share', '% of the span')],
        [scene.quote(moved.fetches[0] ?? moved.rows[0] ?? scene.rows[0]!)],
      ),
    ];
  return [];
};

/**
 * The same where a program launches next to nothing: pages that move when they are first touched are then no start but all
 * there is, so what counts is their share of the time of the kernels.
 */
export const managedOfFew: Detector = (scene, limits) => {
  const moved = migrationsOf(scene);
  const made = new Set(moved.evictions);
  const demanded = moved.rows.filter((row) => !made.has(row));
  const kernelNs = scene.number('kernels.busy_ns');
  if (demanded.length < limits['repeats']! || kernelNs <= 0 || isFetchedAhead(scene, moved)) return [];
  // What the driver fetches ahead by itself follows a fault, and keeps the link busy for it.
  const { work, routes } = scene.trace;
  const beside = moved.fetches.filter((row) => routes[work.detail[row]!]!.migrationCause === causes.prefetch);
  const stalls = stallsOf(scene, { ...moved, rows: [...demanded, ...beside] }, []);
  const inside = lengthOf(stalls) - lengthOf(without(stalls, scene.computing));
  const share = (100 * inside) / kernelNs;
  const touched = touchedKernels(scene, stalls);
  const ns = touched.rows.reduce((sum, row) => sum + work.end[row]! - work.start[row]!, 0);
  if (share < limits['first-touch-share']! || scene.percent(ns) < limits['waste-share']!) return [];
  return [
    waste({
      cause: 'managed-memory-page-faults',
      certainty: 'likely',
      message: `managed memory moves to the GPU when kernels touch it: pages are on their way in ${shareText(share / 100)} of the kernels' time (${timeText(kernelNs)})`,
      measured: [against('time in which pages move', share, '>=', limits, 'first-touch-share', '% of the kernel time')],
      saving: {
        upperBoundNs: Math.min(
          scene.spanNs,
          touched.excessNs + lengthOf(without(stalls, scene.computing)) + idleBeside(scene),
        ),
        how: 'kernels in which pages move, migrations beside them, and pauses for them',
      },
      costNs: ns,
      quotes: [scene.quote(demanded[0]!), ...(touched.first >= 0 ? [scene.quote(touched.first)] : [])],
      marks: marksOf(scene, touched.rows),
      missing: {
        fact: 'the number of page faults',
        ask: 'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true -o run ./app',
      },
    }),
  ];
};

interface Measured {
  readonly moved: Migrations;
  readonly own: readonly number[];
  readonly pages: number;
  readonly stalls: Spans;
  readonly touched: ReturnType<typeof touchedKernels>;
  readonly cost: number;
  readonly share: number;
  readonly unseen: boolean;
  readonly needed: number;
}

function fault(scene: Scene, limits: TraceLimits, found: Measured): TraceFinding {
  const { moved, own, pages, stalls, touched, share, unseen } = found;
  const rounds = roundsOf(scene, own, touched.rows);
  const thrash =
    rounds >= limits['page-rounds']! ||
    (moved.turns >= 2 * limits['page-rounds']! && Math.min(moved.toDevice, moved.toHost) >= 0.3 * moved.toDevice);
  const how = thrash
    ? `the same pages go to the GPU and back${rounds >= limits['page-rounds']! ? ` (one block ${rounds} times)` : ` (the direction turns ${moved.turns} times)`}`
    : touched.habit.lasts
      ? 'pages move while the program runs'
      : 'pages move when they are first touched';
  const counted = unseen ? '' : `${pages.toLocaleString('en')} page faults of the GPU, `;
  const ahead = moved.prefetched.toDevice + moved.prefetched.toHost;
  const ways = [
    ...(moved.toDevice > 0 || moved.toHost === 0 ? [`${sizeText(moved.toDevice)} to the GPU`] : []),
    ...(moved.toHost > 0 ? [`${sizeText(moved.toHost)} to the host`] : []),
    ...(ahead > 0 ? [`${sizeText(ahead)} fetched ahead`] : []),
  ];
  const evicted = moved.evicted > 0 ? `, ${sizeText(moved.evicted)} pushed out of the GPU's memory` : '';
  const idle = idleBeside(scene);
  return waste({
    cause: 'managed-memory-page-faults',
    message: `${counted}${ways.length > 1 ? `${ways.slice(0, -1).join(', ')} and ${ways.at(-1)}` : ways[0]}${evicted}: ${how}, and that takes ${shareText(share / 100)} of the time`,
    measured: [
      ...(unseen ? [] : [against('page faults of the GPU', pages, '>=', limits, 'page-faults', 'faults')]),
      against(
        'time in which pages move',
        share,
        '>=',
        limits,
        found.needed === limits['waste-share'] ? 'waste-share' : 'first-touch-share',
        '% of the span',
      ),
      ...(rounds >= limits['page-rounds']!
        ? [against('rounds of one block', rounds, '>=', limits, 'page-rounds', 'rounds')]
        : []),
    ],
    saving: {
      upperBoundNs: Math.min(scene.spanNs, touched.excessNs + lengthOf(without(stalls, scene.computing)) + idle),
      how: 'kernels in which pages move, as far as they take longer than the same kernel without, migrations beside them, and pauses for them',
    },
    costNs: found.cost,
    explains: ['copies-not-overlapped'],
    quotes: [
      ...(moved.rows.length > 0 ? [scene.quote(moved.rows[0]!)] : []),
      ...(own.length > 0 ? [quoteOfFault(scene, own[0]!)] : []),
      ...(touched.first >= 0 ? [scene.quote(touched.first)] : []),
    ],
    marks: marksOf(scene, touched.rows),
    ...(unseen
      ? {
          missing: {
            fact: 'the number of page faults',
            ask: 'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true -o run ./app',
          },
        }
      : thrash || touched.habit.lasts
        ? {}
        : { certainty: 'likely' as const }),
  });
}

function migrationsOf(scene: Scene): Migrations {
  const { work, routes } = scene.trace;
  const rows: number[] = [];
  const prefetched = { toDevice: 0, toHost: 0 };
  const evictions: number[] = [];
  const fetches: number[] = [];
  let [count, toDevice, toHost, evicted, turns, last] = [0, 0, 0, 0, 0, ''];
  const isManaged = routes.map(({ direction }) => direction.startsWith('UVM'));
  for (const row of isManaged.includes(true) ? scene.copyRows : []) {
    if (isManaged[work.detail[row]!] !== true) continue;
    const { direction, migrationCause } = routes[work.detail[row]!]!;
    count++;
    if (migrationCause === causes.user || migrationCause === causes.prefetch) {
      fetches.push(row);
      if (direction === 'UVM_HtoD') prefetched.toDevice += work.bytes[row]!;
      else prefetched.toHost += work.bytes[row]!;
      continue;
    }
    rows.push(row);
    if (migrationCause === causes.eviction && direction === 'UVM_DtoH') {
      evictions.push(row);
      evicted += work.bytes[row]!;
    }
    if (direction === 'UVM_HtoD') toDevice += work.bytes[row]!;
    else if (direction === 'UVM_DtoH') toHost += work.bytes[row]!;
    if (last !== '' && last !== direction) turns++;
    last = direction;
  }
  return { count, rows, evictions, fetches, prefetched, toDevice, toHost, evicted, turns };
}

function calledPrefetch(scene: Scene): boolean {
  return scene.callsOf(callKinds.prefetch).count > 0;
}

/** True where the trace does not say why pages moved, and the program asked for it. */
function isFetchedAhead(scene: Scene, moved: Migrations): boolean {
  const { work, routes } = scene.trace;
  const untold = moved.rows.every((row) => routes[work.detail[row]!]!.migrationCause === null);
  return untold && calledPrefetch(scene);
}

/** When pages were on their way on demand: faults and the migrations that follow them. */
function stallsOf(scene: Scene, moved: Migrations, own: readonly number[]): Spans {
  const { faults, work } = scene.trace;
  const all = [
    ...own.map((row): readonly [number, number] => [
      faults.start[row]!,
      Math.max(faults.end[row]!, faults.start[row]! + 1),
    ]),
    ...moved.rows.map((row): readonly [number, number] => [work.start[row]!, work.end[row]!]),
  ].sort((a, b) => a[0] - b[0]);
  return unionOf(
    Float64Array.from(all, ([from]) => from),
    Float64Array.from(all, ([, to]) => to),
  );
}

/** Kernels in which pages move. */
function touchedKernels(
  scene: Scene,
  stalls: Spans,
): {
  readonly habit: Habit;
  readonly rows: readonly number[];
  readonly first: number;
  readonly excessNs: number;
  readonly knownExcessNs: number;
} {
  const { work, names } = scene.trace;
  const habit = new Habit(courseOf(scene));
  const rows: number[] = [];
  const quickest = new Float64Array(names.length).fill(Infinity);
  let at = 0;
  for (const row of scene.computeRows) {
    const [from, to] = [work.start[row]!, work.end[row]!];
    while (at < stalls.count && stalls.end[at]! <= from) at++;
    let waits = 0;
    for (let span = at; span < stalls.count && stalls.start[span]! < to; span++)
      waits += Math.min(to, stalls.end[span]!) - Math.max(from, stalls.start[span]!);
    if (waits > 0) {
      rows.push(row);
      habit.add(from, to - from);
    } else if (to - from < quickest[work.name[row]!]!) quickest[work.name[row]!] = to - from;
  }
  // A kernel that never ran without them may be as short as one likes.
  let [excessNs, knownExcessNs] = [0, 0];
  for (const row of rows) {
    const took = work.end[row]! - work.start[row]!;
    const alone = quickest[work.name[row]!]!;
    if (alone !== Infinity) knownExcessNs += Math.max(0, took - alone);
    excessNs += alone === Infinity ? took : Math.max(0, took - alone);
  }
  return { habit, rows, first: rows[0] ?? -1, excessNs, knownExcessNs };
}

/** Pauses of the GPU that no input, compilation or allocation made: the CPU fetches its pages back then. */
function idleBeside(scene: Scene): number {
  const { gaps, gapCauses } = scene;
  let ns = 0;
  for (let gap = 0; gap < gaps.count; gap++) {
    const kind = gapKinds[gapCauses.kind[gap]!]!;
    if (kind !== 'loader' && kind !== 'compile' && kind !== 'alloc') ns += gaps.end[gap]! - gaps.start[gap]!;
  }
  return ns;
}

/** In how many kernels the block faults that does so in most of them. */
function roundsOf(scene: Scene, own: readonly number[], kernels: readonly number[]): number {
  const { faults } = scene.trace;
  const rounds = new Map<number, { count: number; at: number }>();
  let most = 0;
  for (const row of own) {
    const address = faults.address[row]!;
    if (address <= 0) continue;
    const block = Math.floor(address / blockBytes);
    const known = rounds.get(block);
    const time = faults.start[row]!;
    if (known === undefined) {
      if (rounds.size < 100_000) rounds.set(block, { count: 1, at: time });
      continue;
    }
    if (beginsBetween(scene, kernels, known.at, time)) known.count++;
    known.at = time;
    if (known.count > most) most = known.count;
  }
  return most;
}

/** True where one of some kernels began between two times. */
function beginsBetween(scene: Scene, kernels: readonly number[], from: number, to: number): boolean {
  const { start } = scene.trace.work;
  let [low, high] = [0, kernels.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[kernels[middle]!]! <= from) low = middle + 1;
    else high = middle;
  }
  return low < kernels.length && start[kernels[low]!]! <= to;
}

function quoteOfFault(scene: Scene, row: number): TraceFinding['quotes'][number] {
  const { faults, file } = scene.trace;
  const where = faults.address[row]! > 0 ? ` at 0x${faults.address[row]!.toString(16)}` : '';
  return {
    file,
    quote: {
      line: row + 1,
      text: `GPU page fault${where}, ${faults.pages[row]!} pages, start ${faults.start[row]!} ns`,
    },
  };
}

function marksOf(scene: Scene, rows: readonly number[]): TraceFinding['marks'] {
  const { start, end, stream } = scene.trace.work;
  return rows.slice(0, 500).map((row) => ({
    from: start[row]!,
    to: end[row]!,
    streams: [stream[row]!],
    label: `waits for pages (${timeText(end[row]! - start[row]!)})`,
  }));
}
