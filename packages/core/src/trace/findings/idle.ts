import type { TraceFinding } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import { against, healthy, shareText, unclear } from './detector.ts';
import type { GapKind } from './gap-causes.ts';
import type { Scene } from './scene.ts';

/** Healthy readings that know of a long pause. */
const ofPauses: ReadonlySet<string> = new Set([
  'ok-persistent-kernel',
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
  const message = `nothing that costs time was found, and the GPU waits ${shareText(share)} of the time`;
  return { kept: found, added: [healthy('ok-healthy-training', message, measured, scene.anyQuote)] };
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
