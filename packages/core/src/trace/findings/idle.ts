import type { TraceFinding } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import { copiesOf } from './copy-use.ts';
import { against, healthy, shareText, timeText, unclear, waitText } from './detector.ts';
import type { GapKind } from './gap-causes.ts';
import type { Scene } from './scene.ts';
import { countText, sizeText } from './text.ts';

/** Healthy readings that know of a long pause. */
const ofPauses: ReadonlySet<string> = new Set([
  'ok-persistent-kernel',
  'ok-bursty-inference',
  'ok-first-batch-slow',
  'ok-first-iteration-jit',
]);

/** Aspects of a training whose health is seen apart. */
const aspects = ['ok-nccl-overlapped', 'ok-copies-pinned-overlapped', 'ok-loader-keeps-up', 'ok-allocated-once'];

/**
 * What all findings of one GPU come to: where it stands idle for long and nothing says why, what was seen to be well does
 * not make it healthy; where it is busy and nothing costs time, it is.
 */
export function concluded(
  scene: Scene,
  limits: TraceLimits,
  found: readonly TraceFinding[],
): { readonly kept: readonly TraceFinding[]; readonly added: readonly TraceFinding[] } {
  if (found.some(({ kind, certainty }) => kind === 'waste' && certainty !== 'possible'))
    return { kept: found, added: [] };
  const share = scene.habitualIdle.share;
  const suspected = found.some(({ kind }) => kind === 'waste');
  if (share * 100 >= limits['unexplained-idle']! && !found.some(({ cause }) => ofPauses.has(cause)))
    return { kept: found.filter(({ kind }) => kind !== 'healthy'), added: [unexplained(scene)] };
  const mostly = mostlyCopies(scene, found);
  if (mostly !== null) return { kept: found.filter(({ kind }) => kind !== 'healthy'), added: [mostly] };
  const talk = mostlyTalk(scene);
  if (talk !== null && found.every(({ cause }) => cause !== 'ok-persistent-kernel'))
    return { kept: found.filter(({ kind }) => kind !== 'healthy'), added: [talk] };
  if (pausesAlike(scene) && !found.some(({ cause }) => ofPauses.has(cause)))
    return { kept: found.filter(({ kind }) => kind !== 'healthy'), added: [unexplained(scene)] };
  if (share * 100 >= limits['idle-share']!)
    return found.some(({ kind, cause }) => kind !== 'unclear' && cause !== 'ok-streams-ordered')
      ? { kept: found, added: [] }
      : { kept: found, added: [unexplained(scene)] };
  const well = found.filter(({ kind, incidental }) => kind === 'healthy' && incidental !== true);
  const causes = new Set(well.map(({ cause }) => cause));
  const steps = scene.steps.length >= 3 || causes.has('ok-sync-once-per-step');
  const several = aspects.filter((cause) => causes.has(cause)).length >= 2;
  if (scene.spanNs <= 0 || suspected || (causes.size > 0 && !(steps && several))) return { kept: found, added: [] };
  const measured = [against('idle', share * 100, '<', limits, 'idle-share', '%')];
  const message = `nothing that costs time was found, and the GPU waits ${waitText(scene)}`;
  return { kept: found, added: [healthy('ok-healthy-training', message, measured, scene.anyQuote)] };
}

/** Healthy readings that know of copies that take most of the time. */
const ofCopies: ReadonlySet<string> = new Set([
  'ok-persistent-kernel',
  'ok-copies-pinned-overlapped',
  'ok-pageable-fast-on-gh200',
]);

/** A GPU whose busy time is mostly copies beside which nothing runs is not kept busy by its kernels. */
function mostlyCopies(scene: Scene, found: readonly TraceFinding[]): TraceFinding | null {
  if (scene.copyRows.length === 0 || found.some(({ cause }) => ofCopies.has(cause))) return null;
  const { all } = copiesOf(scene);
  const share = scene.busyNs <= 0 ? 0 : all.exposedNs / scene.busyNs;
  if (share < 0.5) return null;
  return unclear(
    'copies-not-overlapped',
    `${shareText(share)} of the time in which the GPU is busy it copies (${timeText(all.exposedNs)}, ${sizeText(all.bytes)} in ${countText(all.count, 'copy', 'copies')}) and runs no kernel; whether that goes on is not seen`,
    { fact: 'a trace of more steps', ask: askFor(scene.trace, 'steps') },
    all.first < 0 ? scene.anyQuote : [scene.quote(all.first)],
  );
}

/** A GPU that is busy with collectives most of the time, beside which nothing is computed, is not busy with its work. */
function mostlyTalk(scene: Scene): TraceFinding | null {
  const ns = scene.number('nccl.exposed_ns');
  if (2 * ns < scene.spanNs || scene.spanNs <= 0) return null;
  const own = scene.kernels.filter(({ name }) => scene.ofNccl[name] === 1);
  // A stage that waits for another one stands in a receive.
  const waits = own.filter(({ text }) => /SendRecv|_Send|_Recv/i.test(text)).reduce((sum, use) => sum + use.totalNs, 0);
  if (2 * waits >= scene.number('nccl.total_ns')) return null;
  return unclear(
    'nccl-exposed-communication',
    `nothing is computed beside ${timeText(ns)} of communication, ${shareText(ns / scene.spanNs)} of the time; whether that goes on is not seen`,
    { fact: 'a trace of more steps', ask: askFor(scene.trace, 'steps') },
    own[0] === undefined ? scene.anyQuote : [scene.quote(own[0].firstRow)],
  );
}

/** True where a GPU that stands idle most of the time does so in a few pauses that are long alike: one for each step. */
function pausesAlike(scene: Scene): boolean {
  const { pauses } = scene;
  const { start, end } = scene.gaps;
  const lengths = pauses.map((gap) => end[gap]! - start[gap]!);
  const longest = Math.max(0, ...lengths);
  const alike = lengths.filter((ns) => 2 * ns >= longest);
  return alike.length >= 2 && 2 * alike.reduce((sum, ns) => sum + ns, 0) >= scene.spanNs;
}

/** What most idle time goes to, as far as calls tell it. */
const pauses: readonly (readonly [GapKind, string])[] = [
  ['host', 'while the program makes no CUDA call'],
  ['launch', 'while the CPU launches'],
  ['sync', 'behind waits of the CPU'],
  ['copy', 'behind copies'],
  ['queued', 'before work that was launched in time'],
  ['alloc', 'for allocations'],
  ['compile', 'while code is loaded'],
  ['capture', 'while graphs are captured'],
  ['loader', 'for input'],
];

function partsText(scene: Scene): string {
  const { totals } = scene.gapCauses;
  const parts = pauses
    .map(([kind, words]) => ({ ns: totals[kind].ns, words }))
    .filter(({ ns }) => ns * 10 >= scene.idleNs && ns > 0)
    .sort((a, b) => b.ns - a.ns)
    .slice(0, 2);
  return parts.length === 0
    ? ''
    : ` (${parts.map(({ ns, words }) => `${shareText(ns / scene.spanNs)} ${words}`).join(', ')})`;
}

function unexplained(scene: Scene): TraceFinding {
  return unclear(
    'input-pipeline-bound',
    `the GPU is idle ${shareText(scene.idleNs / scene.spanNs)} of the time${partsText(scene)}, and the trace does not show what the program does then`,
    {
      fact: 'what the CPU does while the GPU is idle',
      ask: askFor(scene.trace, 'host'),
    },
    scene.anyQuote,
  );
}
