import type { TraceFinding } from '../model.ts';
import { callKinds } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, waste } from './detector.ts';
import { gapKinds } from './gap-causes.ts';
import { courseOf, Habit } from './habit.ts';
import type { Scene } from './scene.ts';
import { countText } from './text.ts';

/** Calls that map or unmap memory at once; those that are ordered in a stream take from a pool. */
const kinds: readonly number[] = [
  callKinds.malloc,
  callKinds.free,
  callKinds.hostAlloc,
  callKinds.hostFree,
  callKinds.mallocManaged,
];
const isAllocation: Uint8Array = new Uint8Array(256);
for (const kind of kinds) isAllocation[kind] = 1;

/**
 * Memory that is allocated and freed while the program runs, and the idle time which that makes; a caching allocator
 * allocates in its first steps only. CUDA runtime API, cudaFree; CUDA C++ Best Practices Guide, allocation.
 */
export const alloc: Detector = (scene, limits) => {
  const course = courseOf(scene);
  const made = madeBy(scene);
  const { rows } = made;
  if (rows.length === 0 || scene.spanNs <= 0) return [];
  const idle = idleFor(scene, course);
  const share = (100 * idle.habit.ns) / scene.spanNs;
  if (
    made.count >= limits['allocations']! &&
    made.spread &&
    idle.habit.lasts &&
    share >= limits['waste-share']! &&
    idle.habit.steadyNs * 100 >= limits['negligible-share']! * scene.spanNs
  )
    return [inLoop(scene, limits, made, idle, share)];
  if (share < limits['negligible-share']! && !made.spread)
    return [
      healthy(
        'ok-allocated-once',
        `memory is allocated and freed by ${rows.length} call${rows.length === 1 ? '' : 's'}, ${made.count} of them while work goes on`,
        [against('idle time for allocation', share, '<', limits, 'negligible-share', '% of the span')],
        [scene.quoteCall(rows[0]!)],
        rows.length < fewCalls && timeIn(scene, rows) * 100 < limits['waste-share']! * scene.spanNs,
      ),
    ];
  return [];
};

/** Every program takes some memory: fewer calls than these that take no time either say nothing of it. */
const fewCalls = 3;

function timeIn({ trace: { calls } }: Scene, rows: readonly number[]): number {
  return rows.reduce((sum, row) => sum + calls.end[row]! - calls.start[row]!, 0);
}

interface Made {
  readonly rows: readonly number[];
  /** Between the first and the last launch. */
  readonly count: number;
  /** True where half of the tenths of a run have allocations. */
  readonly spread: boolean;
}

/** Allocations by how many launches came before: the CPU may be far ahead of the GPU. */
function madeBy(scene: Scene): Made {
  const { calls } = scene.trace;
  const { count: launches } = scene.launches;
  const tenths = new Uint32Array(10);
  const rows: number[] = [];
  let [seen, count] = [0, 0];
  const own = scene.calls;
  for (let at = 0; at < own.length; at++) {
    const call = own[at]!;
    const kind = calls.kind[call]!;
    if (kind === callKinds.launch || kind === callKinds.graphLaunch) seen++;
    else if (isAllocation[kind] === 1) {
      rows.push(call);
      if (seen === 0 || seen === launches) continue;
      count++;
      const tenth = Math.floor((seen * 10) / launches);
      tenths[tenth] = tenths[tenth]! + 1;
    }
  }
  return { rows, count, spread: tenths.filter((each) => each > 0).length >= 5 };
}

interface Idle {
  readonly habit: Habit;
  /** Gaps that allocation makes. */
  readonly gaps: readonly number[];
}

function idleFor(scene: Scene, course: Habit['course']): Idle {
  const { gaps, gapCauses } = scene;
  const habit = new Habit(course);
  const alloc = gapKinds.indexOf('alloc');
  const own: number[] = [];
  for (let gap = 0; gap < gaps.count; gap++) {
    if (gapCauses.kind[gap] !== alloc) continue;
    habit.add(gaps.start[gap]!, gaps.end[gap]! - gaps.start[gap]!);
    own.push(gap);
  }
  return { habit, gaps: own };
}

function inLoop(
  scene: Scene,
  limits: TraceLimits,
  { rows, count: made }: Made,
  idle: Idle,
  share: number,
): TraceFinding {
  const { calls, names } = scene.trace;
  const counts = new Map<string, { count: number; first: number }>();
  for (const call of rows) {
    const name = names[calls.name[call]!]!.replace(/_v\d{1,6}$/, '');
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { count: 1, first: call });
    else known.count++;
  }
  const most = [...counts].sort((a, b) => b[1].count - a[1].count).slice(0, 2);
  const { start, end } = scene.gaps;
  return waste({
    cause: 'alloc-in-loop',
    message: `${most.map(([name, { count }]) => `${countText(count, 'call', 'calls')} of ${name}`).join(' and ')} while work goes on: the GPU stands idle for them ${shareText(share / 100)} of the time (${timeText(idle.habit.ns)})`,
    measured: [
      against('allocations while work goes on', made, '>=', limits, 'allocations', 'calls'),
      against('idle time for allocation', share, '>=', limits, 'waste-share', '% of the span'),
    ],
    saving: { upperBoundNs: scene.idleNs, how: 'all idle time of the GPU' },
    costNs: idle.habit.ns,
    quotes: most.map(([, { first }]) => scene.quoteCall(first)),
    marks: idle.gaps
      .slice(0, 500)
      .map((gap) => ({ from: start[gap]!, to: end[gap]!, streams: [], label: 'idle for allocation' })),
  });
}
