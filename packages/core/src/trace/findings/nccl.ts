import type { TraceFinding } from '../model.ts';
import { exposedNccl } from '../numbers.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import type { JobDetector } from './detector.ts';
import { against, healthy, shareText, timeText, unclear, waste } from './detector.ts';
import { courseOf, Habit } from './habit.ts';
import type { RankComparison } from './ranks.ts';
import { compareRanks } from './ranks.ts';
import type { Scene } from './scene.ts';
import { slowRank, straggler } from './straggler.ts';

/**
 * Communication: what of it nothing hides, and whether a late rank makes it long. A collective ends on all ranks when the
 * last has come, so the others' kernels of NCCL wait inside. NCCL user guide; PyTorch: DistributedDataParallel.
 */
export const nccl: JobDetector = (scenes, limits) => {
  const talking = scenes.filter((scene) => scene.number('nccl.total_ns') > 0 && scene.spanNs > 0);
  if (talking.length === 0) return [];
  const comparison = compareRanks(talking);
  const last = comparison === null ? [] : straggler(comparison, limits);
  const late = last.length > 0 ? last : slowRank(talking, limits);
  const several = comparison !== null && talking.every((scene) => shareOf(scene) * 100 >= limits['nccl-exposed']!);
  const bare = talking
    .filter((scene) => shareOf(scene) * 100 >= limits['nccl-exposed']!)
    .map((scene) => ({ scene, exposed: exposedOf(scene) }))
    .filter(({ scene, exposed }) => isCostly(scene, exposed, limits, several))
    // What is a wait for the late rank is told there.
    .filter(({ scene, exposed }) => late.length === 0 || isCostlyBeside(scene, exposed, comparison, limits))
    .sort((a, b) => shareOf(b.scene) - shareOf(a.scene));
  if (bare.length > 0) {
    const suspected = comparison === null && (waitingIn(bare[0]!.scene) ?? 0) >= 0.5 ? [suspicion(bare[0]!.scene)] : [];
    return [...late, exposed(bare, talking.length, comparison, limits), ...suspected];
  }
  return late.length > 0 ? late : hidden(talking, limits);
};

const missingOf = ({ trace }: Scene): { readonly fact: string; readonly ask: string } => ({
  fact: 'whether one rank comes late to every collective',
  ask: askFor(trace, 'ranks'),
});

function shareOf(scene: Scene): number {
  return scene.number('nccl.exposed_ns') / scene.spanNs;
}

interface Exposed {
  readonly habit: Habit;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

function exposedOf(scene: Scene): Exposed {
  const spans = exposedNccl(scene);
  const habit = new Habit(courseOf(scene));
  for (let at = 0; at < spans.count; at++) habit.add(spans.start[at]!, spans.end[at]! - spans.start[at]!);
  return { habit, from: spans.start, to: spans.end };
}

function goesOn({ habit }: Pick<Exposed, 'habit'>, limits: TraceLimits): boolean {
  return habit.count >= limits['repeats']! && habit.lasts;
}

/** @param several all ranks have as much of it: then two steps show a habit */
function isCostly(scene: Scene, { habit }: Exposed, limits: TraceLimits, several: boolean): boolean {
  if (habit.steadyNs * 200 < limits['nccl-exposed']! * scene.spanNs) return false;
  return goesOn({ habit }, limits) || habit.returns >= (several ? 2 : 3);
}

/** True where as much is exposed without the time for which the rank waits for the last one. */
function isCostlyBeside(
  scene: Scene,
  { habit }: Exposed,
  comparison: RankComparison | null,
  limits: TraceLimits,
): boolean {
  const waited = comparison?.ranks.find((rank) => rank.scene === scene)?.waitedNs ?? 0;
  return (habit.ns + habit.outsideNs - waited) * 100 >= limits['nccl-exposed']! * scene.spanNs;
}

function exposed(
  bare: readonly { readonly scene: Scene; readonly exposed: Exposed }[],
  ranks: number,
  comparison: RankComparison | null,
  limits: TraceLimits,
): TraceFinding {
  const [{ scene, exposed: spans }] = bare as [(typeof bare)[number]];
  const total = scene.number('nccl.total_ns');
  const ns = scene.number('nccl.exposed_ns');
  const where =
    scene.called === ''
      ? ''
      : `${scene.called}${bare.length > 1 ? ` (and ${bare.length - 1} of ${ranks - 1} others)` : ''}: `;
  return waste({
    cause: 'nccl-exposed-communication',
    message: `${where}nothing is computed beside ${timeText(ns)} of communication, ${shareText(ns / scene.spanNs)} of the time (NCCL runs ${timeText(total)} in all)`,
    measured: [
      against(
        'communication that nothing hides',
        (100 * ns) / scene.spanNs,
        '>=',
        limits,
        'nccl-exposed',
        '% of the span',
      ),
    ],
    saving: { upperBoundNs: ns, how: 'communication beside which no other kernel runs' },
    quotes: [scene.quote(firstOf(scene))],
    marks: Array.from({ length: Math.min(500, spans.from.length) }, (_, at) => ({
      from: spans.from[at]!,
      to: spans.to[at]!,
      streams: [],
      label: 'communication that nothing hides',
    })),
    ...(goesOn(spans, limits) ? {} : { certainty: 'likely' as const }),
    // The others' traces tell a slow exchange from a late rank.
    ...(comparison === null && (scene.trace.ranks === null || scene.trace.ranks > 1)
      ? { missing: missingOf(scene) }
      : {}),
  });
}

/** One rank alone: the same operation takes very different times, as where another rank comes late. */
function suspicion(scene: Scene): TraceFinding {
  return unclear(
    'nccl-straggler-rank',
    'the same collective takes very different times, as where a rank comes late; which one is not in this trace',
    missingOf(scene),
    [scene.quote(firstOf(scene))],
  );
}

/** Share of NCCL's time by which operations of one kind and size take longer than their quickest tenth; null with too few. */
function waitingIn(scene: Scene): number | null {
  const { work, collectives } = scene.trace;
  const groups = new Map<string, number[]>();
  let [total, count] = [0, 0];
  const { ofNccl } = scene;
  for (const row of scene.kernelRows) {
    if (ofNccl[work.name[row]!] === 0) continue;
    const told = collectives.get(row);
    const key = `${work.name[row]} ${told?.elements ?? ''} ${told?.group ?? ''}`;
    const took = work.end[row]! - work.start[row]!;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [took]);
    else known.push(took);
    total += took;
    count++;
  }
  if (count < 20 || total === 0) return null;
  let waits = 0;
  for (const times of groups.values()) {
    if (times.length < 10) continue;
    times.sort((a, b) => a - b);
    const quick = times[Math.floor(times.length / 10)]!;
    for (const took of times) waits += Math.max(0, took - quick);
  }
  return waits / total;
}

function hidden(talking: readonly Scene[], limits: TraceLimits): readonly TraceFinding[] {
  const most = talking.reduce((a, b) => (shareOf(b) > shareOf(a) ? b : a));
  const total = most.number('nccl.total_ns');
  const under = 1 - most.number('nccl.exposed_ns') / total;
  if (total * 100 < limits['negligible-share']! * most.spanNs || under < 0.5) return [];
  return [
    healthy(
      'ok-nccl-overlapped',
      `${talking.length > 1 && most.called !== '' ? `${most.called}: ` : ''}${shareText(under)} of the communication (${timeText(total)}) lies under other kernels`,
      [against('communication that nothing hides', 100 * shareOf(most), '<', limits, 'nccl-exposed', '% of the span')],
      [most.quote(firstOf(most))],
    ),
  ];
}

function firstOf(scene: Scene): number {
  return scene.kernels.find(({ name }) => scene.ofNccl[name] === 1)?.firstRow ?? scene.rows[0]!;
}
