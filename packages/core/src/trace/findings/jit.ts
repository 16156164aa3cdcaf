import type { TraceFinding } from '../model.ts';
import { callKinds } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, unclear, waste } from './detector.ts';
import { gapKinds } from './gap-causes.ts';
import { courseOf, Habit } from './habit.ts';
import type { Scene } from './scene.ts';

/** A launch that takes longer than this loads or compiles its kernel first (lazy loading, PTX). */
const loadingLaunch = 500_000;

/**
 * Time for compiling and loading kernels: at the start it is the price of a first step, later it is waste (shapes that
 * change, caches that are thrown away). CUDA programming guide, lazy loading and just-in-time compilation.
 */
export const jit: Detector = (scene, limits) => {
  if (scene.spanNs <= 0) return [];
  const spent = compilingOf(scene);
  const { habit } = spent;
  const share = (ns: number): number => (100 * ns) / scene.spanNs;
  if (
    habit.count >= limits['repeats']! &&
    habit.lasts &&
    share(habit.ns) >= limits['jit-share']! &&
    share(habit.steadyNs) >= limits['jit-share']! / 2
  )
    return [again(scene, limits, spent, share(habit.ns))];
  if (habit.count >= 2 && !habit.startsOnly && share(habit.ns) >= limits['jit-share']!)
    return [
      unclear(
        'recompiles-in-steady-state',
        `kernels are compiled or loaded ${habit.count} times after the start, too few to be called a habit`,
        { fact: 'a longer trace', ask: `TORCH_LOGS=recompiles python train.py; ${askFor(scene.trace, 'steps')}` },
        quotesOf(scene, spent),
      ),
    ];
  const all = habit.ns + habit.outsideNs;
  if (share(all) >= limits['negligible-share']! && habit.startsOnly)
    return [
      healthy(
        'ok-first-iteration-jit',
        `kernels are compiled and loaded for ${timeText(all)} at the start, and not later`,
        [
          against(
            'compiling, its dearest part left out',
            share(habit.steadyNs),
            '<',
            limits,
            'jit-share',
            '% of the span',
          ),
        ],
        quotesOf(scene, spent),
      ),
    ];
  return [];
};

interface Compiling {
  readonly habit: Habit;
  readonly gaps: readonly number[];
  /** Calls that load modules or launch so slowly that they load. */
  readonly calls: readonly number[];
  /** Name of the range that names it most, where one does. */
  readonly told: string | null;
}

function compilingOf(scene: Scene): Compiling {
  const { gaps, gapCauses, trace } = scene;
  const { calls, work, ranges } = trace;
  const habit = new Habit(courseOf(scene));
  const compile = gapKinds.indexOf('compile');
  const own: number[] = [];
  const made = new Set<number>();
  for (let gap = 0; gap < gaps.count; gap++) {
    const next = gapCauses.next[gap]!;
    const call = next < 0 ? -1 : work.call[next]!;
    const [from, to] = [gaps.start[gap]!, gaps.end[gap]!];
    const slow =
      call >= 0 &&
      calls.kind[call] === callKinds.launch &&
      calls.end[call]! - calls.start[call]! >= loadingLaunch &&
      (to - Math.max(from, calls.start[call]!)) * 2 >= to - from;
    if (gapCauses.kind[gap] !== compile && !slow) continue;
    habit.add(from, to - from);
    own.push(gap);
    if (slow) made.add(call);
  }
  const named = new Map<string, number>();
  for (const range of ranges)
    if (range.kind === 'compile') named.set(range.name, (named.get(range.name) ?? 0) + range.end - range.start);
  const [told] = [...named].sort((a, b) => b[1] - a[1]);
  return { habit, gaps: own, calls: [...made], told: told?.[0] ?? null };
}

function again(scene: Scene, limits: TraceLimits, spent: Compiling, share: number): TraceFinding {
  const { start, end } = scene.gaps;
  return waste({
    cause: 'recompiles-in-steady-state',
    message: `kernels are compiled or loaded again and again while the program runs${spent.told === null ? '' : ` (${spent.told.slice(0, 60)})`}: ${shareText(share / 100)} of the time, in ${spent.habit.count} pauses`,
    measured: [
      against('compiling while the program runs', share, '>=', limits, 'jit-share', '% of the span'),
      against('pauses', spent.habit.count, '>=', limits, 'repeats', 'times'),
    ],
    saving: { upperBoundNs: scene.idleNs, how: 'all idle time of the GPU' },
    costNs: spent.habit.ns,
    quotes: quotesOf(scene, spent),
    marks: spent.gaps
      .slice(0, 500)
      .map((gap) => ({ from: start[gap]!, to: end[gap]!, streams: [], label: 'kernels are compiled or loaded' })),
  });
}

function quotesOf(scene: Scene, { calls, gaps }: Compiling): TraceFinding['quotes'] {
  if (calls.length > 0) return [scene.quoteCall(calls[calls.length >> 1]!)];
  const next = gaps.map((gap) => scene.gapCauses.next[gap]!).find((row) => row >= 0);
  return next === undefined ? scene.anyQuote : [scene.quote(next)];
}
