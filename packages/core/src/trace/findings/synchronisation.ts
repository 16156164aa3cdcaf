import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, waste } from './detector.ts';
import { gapMarks, graphUse, inGraphs } from './launches.ts';

/** Waits of the CPU for the GPU: after launches again and again, or once for a step. */
export const synchronisation: Detector = (scene, limits) => {
  const { waits, launches } = scene;
  if (waits.count < limits['repeats']! || launches.count === 0) return [];
  const often = (100 * waits.count) / launches.count;
  const idle = scene.habitualIdle.share * 100;
  const { sync } = scene.gapCauses.totals;
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
        message: `the CPU waits for the GPU ${waits.count} times for ${launches.count} launches; the GPU then stands idle until the next one comes: ${timeText(sync.ns)}, ${shareText(cost / 100)} of the time`,
        measured: [
          against('waits', often, '>=', limits, 'syncs-per-launch', '% of the launches'),
          against('idle behind waits', cost, '>=', limits, most, '%'),
        ],
        saving: { upperBoundNs: scene.idleNs, how: 'all idle time of the GPU' },
        costNs: sync.ns,
        quotes: [scene.quoteCall(waits.first), ...scene.anyQuote],
        marks: gapMarks(scene, 'sync', 'the CPU has just waited: nothing is queued'),
      }),
    ];
  if (often <= limits['syncs-per-step']! && cost < limits['waste-share']! && idle < limits['idle-share']!)
    return [
      healthy(
        'ok-sync-once-per-step',
        `the CPU waits ${waits.count} times for ${launches.count} launches, and the GPU is idle ${shareText(idle / 100)} of the time`,
        [
          against('waits', often, '<=', limits, 'syncs-per-step', '% of the launches'),
          against('idle', idle, '<', limits, 'idle-share', '%'),
        ],
        [scene.quoteCall(waits.first)],
      ),
    ];
  return [];
};
