import type { TraceFinding } from '../model.ts';
import { lengthOf } from '../spans.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { defaultStream } from './default-stream.ts';
import type { Detector } from './detector.ts';
import { against, healthy, waitText } from './detector.ts';
import type { Scene, StreamUse } from './scene.ts';

/** How streams share the GPU: side by side, one alone, or held up by the default stream. */
export const streams: Detector = (scene, limits) => {
  const computing = scene.streams.filter((use) => use.kernels + use.graphs > 0);
  if (computing.length === 0) return [];
  const serial = defaultStream(scene, limits);
  return serial.length > 0 ? serial : sideBySide(scene, limits, computing);
};

function sideBySide(scene: Scene, limits: TraceLimits, computing: readonly StreamUse[]): readonly TraceFinding[] {
  const idle = scene.habitualIdle.share * 100;
  if (idle >= limits['unexplained-idle']!) return [];
  const times = computing.map((use) => lengthOf(use.computing));
  const together = times.reduce((sum, time) => sum + time, 0);
  const busy = scene.number('kernels.busy_ns');
  const overlap = together <= busy || busy === 0 ? 0 : (100 * (together - busy)) / busy;
  const quotes = computing.slice(0, 2).flatMap((use) => [scene.quote(use.rows[0]!)]);
  const perThread = computing.filter(({ stream }) => stream.role === 'per-thread');
  const well = against('idle', idle, '<', limits, 'unexplained-idle', '%');
  // Any overlap shows that default streams of threads do not wait for each other.
  if (overlap >= limits['overlap-share']! || (perThread.length >= 2 && overlap > 0)) {
    const measured = [
      ...(overlap >= limits['overlap-share']! ? [against('overlap', overlap, '>=', limits, 'overlap-share', '%')] : []),
      well,
    ];
    return [
      perThread.length >= 2
        ? healthy(
            'ok-per-thread-default-stream',
            `${perThread.length} default streams of threads work side by side, ${(together / busy).toFixed(2)} of them at a time on average`,
            measured,
            quotes,
          )
        : healthy(
            'ok-streams-overlap',
            `${computing.length} streams work side by side, ${(together / busy).toFixed(2)} of them at a time on average`,
            measured,
            quotes,
          ),
    ];
  }
  const main = Math.max(...times);
  if (main < 0.9 * together || idle >= limits['idle-share']!) return [];
  return [
    healthy(
      'ok-single-stream-saturated',
      `one stream keeps the GPU busy: it waits ${waitText(scene)}`,
      [against('idle', idle, '<', limits, 'idle-share', '%')],
      quotes.slice(0, 1),
    ),
  ];
}
