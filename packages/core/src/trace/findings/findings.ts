import type { TraceFinding } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { alloc } from './alloc.ts';
import { askFor } from './asks.ts';
import { clocks } from './clocks.ts';
import { copies, copiesOfFew } from './copies.ts';
import type { Detector, JobDetector } from './detector.ts';
import { unclear } from './detector.ts';
import { concluded } from './idle.ts';
import { jit } from './jit.ts';
import { kernels } from './kernels.ts';
import { launches } from './launches.ts';
import { loader } from './loader.ts';
import { managed, managedOfFew } from './managed.ts';
import { nccl } from './nccl.ts';
import { order } from './order.ts';
import type { Scene } from './scene.ts';
import { streams } from './streams.ts';
import { synchronisation } from './synchronisation.ts';
import { tensor } from './tensor.ts';

/** What looks at one GPU; add a detector here. */
const detectors: readonly Detector[] = [
  streams,
  launches,
  synchronisation,
  order,
  copies,
  managed,
  alloc,
  kernels,
  loader,
  jit,
  tensor,
  clocks,
];

/** What looks at all GPUs and ranks together. */
const jobDetectors: readonly JobDetector[] = [nccl];

/** Healthy readings, the most specific first: the first that was made names the verdict. */
const healthOrder = [
  'ok-persistent-kernel',
  'ok-bursty-inference',
  'ok-cuda-graphs-used',
  'ok-healthy-training',
  'ok-first-iteration-jit',
  'ok-first-batch-slow',
  'ok-managed-prefetched',
  'ok-nccl-overlapped',
  'ok-copies-pinned-overlapped',
  'ok-peer-copies',
  'ok-pageable-fast-on-gh200',
  'ok-pageable-negligible',
  'ok-per-thread-default-stream',
  'ok-loader-keeps-up',
  'ok-small-kernels-queued',
  'ok-tiny-kernel-negligible',
  'ok-streams-overlap',
  'ok-sync-once-per-step',
  'ok-allocated-once',
  'ok-single-stream-saturated',
  'ok-streams-ordered',
];

/** Open questions that say nothing of where the time goes, the last one last. */
const lastOpen: readonly string[] = ['low-achieved-occupancy', 'streams-without-order'];

/** What traces raise and never prove; it is about results, and says nothing of where the time goes. */
export const suspicionCause = 'streams-without-order';

/**
 * What one kernel shows as well as many do: page faults and copies are counted themselves, and a launch of one block or of
 * blocks of a few threads is what it is.
 */
const countless: ReadonlySet<string> = new Set([
  'managed-memory-page-faults',
  'busy-label-idle-sms',
  'block-size-too-small',
  'many-small-copies',
  'pageable-copies-slow',
  'pageable-copies-synchronous',
]);

/** Where data that moves fills the time, a stream that is always busy is no good sign. */
const movers: ReadonlySet<string> = new Set([
  'copies-not-overlapped',
  'pageable-copies-slow',
  'pageable-copies-synchronous',
  'many-small-copies',
  'managed-memory-page-faults',
  'managed-memory-oversubscribed',
]);

/** What a finding about a few kernels costs at least, ns: a shorter one may be a try. */
const leastOfFew = 1e6;

/** What several scenes say of one cause: the one that it costs most speaks. */
function joined(each: readonly { readonly scene: Scene | null; readonly found: TraceFinding }[]): TraceFinding {
  const lead = each.reduce((most, one) => (costOf(one.found) > costOf(most.found) ? one : most));
  const where = lead.scene?.called ?? '';
  const others = each.length - 1;
  if (where === '') return lead.found;
  const beside = others === 0 ? '' : ` (and ${others} other${others === 1 ? '' : 's'})`;
  return { ...lead.found, message: `${where}${beside}: ${lead.found.message}` };
}

function joinedByCause(
  found: readonly { readonly scene: Scene | null; readonly found: TraceFinding }[],
): readonly TraceFinding[] {
  const groups = new Map<string, { readonly scene: Scene | null; readonly found: TraceFinding }[]>();
  for (const one of found) {
    const key = `${one.found.cause} ${one.found.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map(joined);
}

/** What a finding costs, ns. */
export function costOf(found: TraceFinding): number {
  return found.costNs ?? found.saving?.upperBoundNs ?? 0;
}

/**
 * What traces show: wastes, the one that costs most first and those that only follow from others last, then what is
 * well, then what cannot be decided.
 */
export function findingsOf(scenes: readonly Scene[], limits: TraceLimits): readonly TraceFinding[] {
  const found: { readonly scene: Scene | null; readonly found: TraceFinding }[] = [];
  for (const scene of scenes)
    for (const detector of detectors)
      for (const each of detector(scene, limits))
        // Of a GPU that did next to nothing nothing is said to be well.
        if (each.kind !== 'healthy' || each.cause === 'ok-persistent-kernel' || !isTiny(scene, limits))
          found.push({ scene, found: each });
  for (const detector of jobDetectors)
    for (const each of detector(scenes, limits)) found.push({ scene: null, found: each });
  const all = joinedByCause(
    scenes.length === 0
      ? found
      : scenes.flatMap((scene, at) => {
          const own = found.filter((one) => one.scene === scene || (one.scene === null && at === 0));
          const ofJob = found.filter((one) => one.scene === null && at > 0).map((one) => one.found);
          const { kept, added } = concluded(scene, limits, [...own.map((one) => one.found), ...ofJob]);
          const more = isTiny(scene, limits) ? [] : added.map((each) => ({ scene, found: each }));
          return [...own.filter((one) => kept.includes(one.found)), ...more];
        }),
  );
  const wastes = all.filter(({ kind }) => kind === 'waste');
  const explained = new Set(wastes.filter(stated).flatMap(({ explains }) => explains ?? []));
  wastes.sort(
    (a, b) =>
      Number(explained.has(a.cause)) - Number(explained.has(b.cause)) ||
      Number(stated(b)) - Number(stated(a)) ||
      costOf(b) - costOf(a) ||
      (a.cause < b.cause ? -1 : 1),
  );
  const filled = wastes.some((each) => stated(each) && movers.has(each.cause));
  const well = all
    .filter(({ kind, cause }) => kind === 'healthy' && !(filled && cause === 'ok-single-stream-saturated'))
    .sort((a, b) => rankOf(a) - rankOf(b));
  const open = all
    .filter(({ kind }) => kind === 'unclear')
    .sort((a, b) => lastOpen.indexOf(a.cause) - lastOpen.indexOf(b.cause));
  if (
    scenes.length > 0 &&
    scenes.every((scene) => isTiny(scene, limits)) &&
    well.every((each) => each.cause !== 'ok-persistent-kernel')
  ) {
    const counted = ofFew(scenes, wastes, limits);
    return counted.length > 0 ? counted : [tiny(scenes, limits)];
  }
  return [...wastes, ...well, ...open];
}

/** What a few launches show for certain; a short program reads its input and prints for most of the time. */
function ofFew(
  scenes: readonly Scene[],
  wastes: readonly TraceFinding[],
  limits: TraceLimits,
): readonly TraceFinding[] {
  const lowered = { ...limits, 'tiny-grid-share': limits['waste-share']! };
  const more = scenes.flatMap((scene) =>
    [...managedOfFew(scene, limits), ...kernels(scene, lowered), ...copiesOfFew(scene, limits)].map((found) => ({
      scene,
      found,
    })),
  );
  const fresh = more.filter(
    ({ found }) => found.kind === 'waste' && !wastes.some(({ cause }) => cause === found.cause),
  );
  return [...wastes, ...joinedByCause(fresh)]
    .filter((each) => stated(each) && countless.has(each.cause) && costOf(each) >= leastOfFew)
    .sort((a, b) => costOf(b) - costOf(a));
}

function stated({ certainty }: TraceFinding): boolean {
  return certainty !== 'possible';
}

function rankOf({ cause, incidental }: TraceFinding): number {
  const at = healthOrder.indexOf(cause);
  return (at < 0 ? healthOrder.length : at) + (incidental === true ? 2 * healthOrder.length : 0);
}

function computationsOf(scene: Scene): number {
  return scene.streams.reduce((sum, use) => sum + use.kernels + use.graphs, 0);
}

function isTiny(scene: Scene, limits: TraceLimits): boolean {
  return computationsOf(scene) < limits['kernels']! || scene.busyNs <= 0;
}

function tiny(scenes: readonly Scene[], limits: TraceLimits): TraceFinding {
  const count = scenes.reduce((sum, scene) => sum + computationsOf(scene), 0);
  const ran =
    count === 0
      ? 'no kernel or graph runs'
      : count === 1
        ? 'only 1 kernel or graph runs'
        : `only ${count} kernels and graphs run`;
  return unclear(
    'series-too-short',
    count >= limits['kernels']! && scenes.every((scene) => scene.busyNs <= 0)
      ? `${count} kernels and graphs have no length: their times cannot be right`
      : `${ran} in the trace, too few to judge a program by (${limits['kernels']!} are asked for)`,
    {
      fact: 'a trace of some steps',
      ask: askFor(scenes[0]!.trace, 'steps'),
    },
    scenes[0]!.anyQuote,
  );
}
