import { plainCallName } from '../calls.ts';
import type { TraceFinding } from '../model.ts';
import { callKinds } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { copiesOf, readsBack } from './copy-use.ts';
import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, waste } from './detector.ts';
import { gapMarks, graphUse, inGraphs } from './launches.ts';
import type { Scene } from './scene.ts';
import { countText } from './text.ts';

const waiting: ReadonlySet<number> = new Set([callKinds.deviceSync, callKinds.streamSync, callKinds.eventSync]);

/** Waits of the CPU for the GPU: after launches again and again, or once for a step. */
export const synchronisation: Detector = (scene, limits) => {
  const { waits, launches } = scene;
  const blocking = blockingLaunches(scene);
  if (blocking !== null && blocking.count >= limits['waits']!) return launchesWait(scene, limits, blocking);
  if (waits.count < limits['repeats']! || launches.count === 0) return [];
  const often = (100 * waits.count) / launches.count;
  const idle = scene.habitualIdle.share * 100;
  const { sync: pure, copy } = scene.gapCauses.totals;
  // A number that is read back keeps the CPU in the call that copies, and what follows is the cost of that wait.
  const reads = scene.copyRows.length > 0 && copy.gaps > 0 && readsBack(scene, copiesOf(scene));
  const sync = reads ? { ns: pure.ns + copy.ns, gaps: pure.gaps + copy.gaps } : pure;
  const cost = scene.percent(sync.ns);
  // A graph is the work of many launches: a wait behind each is one for a step.
  const most = inGraphs(graphUse(scene), limits) ? 'unexplained-idle' : 'waste-share';
  if (
    waits.count >= limits['waits']! &&
    often >= limits['syncs-per-launch']! &&
    cost >= limits[most]! &&
    sync.gaps >= limits['repeats']!
  )
    return [
      waste({
        cause: 'sync-after-each-kernel',
        message: `the CPU waits for the GPU ${waits.count} times${waitNames(scene)} for ${launches.count} launches; the GPU then stands idle until the next one comes: ${timeText(sync.ns)}, ${shareText(cost / 100)} of the time`,
        measured: [
          against('waits', often, '>=', limits, 'syncs-per-launch', '% of the launches'),
          against('idle behind waits', cost, '>=', limits, most, '%'),
        ],
        saving: { upperBoundNs: scene.idleNs, how: 'all idle time of the GPU' },
        costNs: sync.ns,
        quotes: [scene.quoteCall(waits.first), ...scene.anyQuote],
        marks: gapMarks(
          scene,
          reads && copy.ns > pure.ns ? 'copy' : 'sync',
          'the CPU has just waited: nothing is queued',
        ),
      }),
    ];
  if (often <= limits['syncs-per-step']! && cost < limits['waste-share']! && idle < limits['idle-share']!)
    return [
      healthy(
        'ok-sync-once-per-step',
        `the CPU waits ${countText(waits.count, 'time', 'times')} for ${countText(launches.count, 'launch', 'launches')}, and the GPU waits ${shareText(idle / 100)} of it`,
        [
          against('waits', often, '<=', limits, 'syncs-per-step', '% of the launches'),
          against('idle', idle, '<', limits, 'idle-share', '%'),
        ],
        [scene.quoteCall(waits.first)],
      ),
    ];
  return [];
};

/** ` (300 cudaStreamSynchronize, 20 cudaEventSynchronize)`: the calls that wait, the most frequent first. */
function waitNames(scene: Scene): string {
  const { calls, names } = scene.trace;
  const counts = new Map<string, number>();
  for (const call of scene.calls) {
    if (!waiting.has(calls.kind[call]!)) continue;
    const name = plainCallName(names[calls.name[call]!] ?? '');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 2);
  if (counts.size === 1) return ` (${most[0]![0]})`;
  return counts.size === 0 ? '' : ` (${most.map(([name, count]) => `${count} ${name}`).join(', ')})`;
}

/** Kernels long enough that a launch which lasts until their end has waited for them, ns. */
const longEnough = 5000;

interface Blocking {
  readonly count: number;
  readonly first: number;
  readonly of: number;
}

/** Launches that return only when their kernel has ended, where nearly all do. */
function blockingLaunches(scene: Scene): Blocking | null {
  const { work, calls } = scene.trace;
  const { start, end, call: callOf } = work;
  const { end: returned } = calls;
  const { kernelRows: rows } = scene;
  let [count, of, first] = [0, 0, -1];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const call = callOf[row]!;
    if (call < 0 || end[row]! - start[row]! < longEnough) continue;
    of++;
    if (returned[call]! < end[row]!) continue;
    count++;
    if (first < 0) first = call;
  }
  return count > 0 && count * 10 >= of * 8 ? { count, first, of } : null;
}

function launchesWait(scene: Scene, limits: TraceLimits, blocking: Blocking): readonly TraceFinding[] {
  const { sync } = scene.gapCauses.totals;
  const cost = scene.percent(sync.ns);
  if (cost < limits['waste-share']!) return [];
  return [
    waste({
      cause: 'sync-after-each-kernel',
      message: `${blocking.count} of ${blocking.of} launches return only when their kernel has ended, as with CUDA_LAUNCH_BLOCKING=1; the GPU stands idle between them for ${timeText(sync.ns)}, ${shareText(cost / 100)} of the time`,
      measured: [
        against('launches that wait', blocking.count, '>=', limits, 'waits', 'times'),
        against('idle behind waits', cost, '>=', limits, 'waste-share', '%'),
      ],
      saving: { upperBoundNs: scene.idleNs, how: 'all idle time of the GPU' },
      costNs: sync.ns,
      quotes: [scene.quoteCall(blocking.first), ...scene.anyQuote],
      marks: gapMarks(scene, 'sync', 'the launch has just waited: nothing is queued'),
    }),
  ];
}
