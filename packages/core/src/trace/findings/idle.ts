import type { TraceFinding } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { shareText, unclear } from './detector.ts';
import type { Scene } from './scene.ts';

/** The GPU stands idle for long, and nothing else was found that says why. */
export function idleUnexplained(
  scene: Scene,
  limits: TraceLimits,
  found: readonly TraceFinding[],
): readonly TraceFinding[] {
  const share = scene.spanNs === 0 ? 0 : scene.idleNs / scene.spanNs;
  if (share * 100 < limits['idle-share']!) return [];
  if (found.some(({ kind }) => kind !== 'unclear')) return [];
  return [
    unclear(
      'input-pipeline-bound',
      `the GPU is idle ${shareText(share)} of the time, and the trace does not show what the program does then`,
      {
        fact: 'what the CPU does while the GPU is idle',
        ask: 'nsys profile -t cuda,nvtx,osrt --sample=process-tree -o run ./app && nsys export -t sqlite run.nsys-rep',
      },
      scene.anyQuote,
    ),
  ];
}
