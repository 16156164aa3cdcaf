import { shareText, timeText } from './findings/detector.ts';
import type { Scene } from './findings/scene.ts';

/** How busy the GPUs of a trace are, which is what a reader asks first: `the GPU is busy 97 % of 1.42 s`. */
export function busyText(scenes: readonly Scene[]): string | null {
  const judged = scenes.filter(({ spanNs }) => spanNs > 0);
  const [first] = judged;
  if (first === undefined) return null;
  const span = Math.max(...judged.map(({ spanNs }) => spanNs));
  const shares = judged.map(({ busyNs, spanNs }) => busyNs / spanNs).sort((a, b) => a - b);
  const [least, most] = [roundedText(shares[0]!), roundedText(shares.at(-1)!)];
  const share = least === most ? least : `${least.slice(0, -2)} to ${most}`;
  return `${subjectOf(judged)} busy ${share} of ${timeText(span)}${judged.length === 1 ? pausesText(first) : ''}`;
}

/** The pauses that were left out of account, where they are most of what the GPU waits and not little. */
function pausesText(scene: Scene): string {
  const { pauses, pausesNs, idleNs, spanNs, limits } = scene;
  if (scene.percent(pausesNs) < limits['idle-share']! || 2 * pausesNs < idleNs) return '';
  const rest = spanNs - pausesNs;
  const longest = pauses.reduce((most, gap) => Math.max(most, scene.gaps.end[gap]! - scene.gaps.start[gap]!), 0);
  const called =
    10 * longest >= 9 * pausesNs
      ? `its longest pause (${timeText(longest)})`
      : `its ${pauses.length} longest pauses (${timeText(pausesNs)})`;
  return 2 * scene.busyNs < rest ? '' : `, and ${roundedText(scene.busyNs / rest)} of the time without ${called}`;
}

/** A GPU that waited at all is not called busy all the time. */
function roundedText(share: number): string {
  return share < 1 && share > 0.995 ? `${(Math.floor(share * 1000) / 10).toFixed(1)} %` : shareText(share);
}

/** `the GPU is`, `the 2 GPUs are`, `the GPUs of 8 ranks are`. */
function subjectOf(scenes: readonly Scene[]): string {
  const ranks = new Set(scenes.map(({ trace }) => trace)).size;
  if (scenes.length === 1) return 'the GPU is';
  if (ranks === 1) return `the ${scenes.length} GPUs are`;
  return scenes.length === ranks ? `the GPUs of ${ranks} ranks are` : `the ${scenes.length} GPUs of ${ranks} ranks are`;
}
