import type { Kernel } from '../packages/core/src/occupancy/evaluate.ts';
import { evaluate, plainKernel } from '../packages/core/src/occupancy/evaluate.ts';
import { defaultKnowledge as knowledge } from '../packages/core/src/knowledge/knowledge.ts';

/** Launches of every kind on every capability, in an order that no branch can guess. */
const launches = Array.from({ length: 4096 }, (_, at) => {
  const turn = (at * 2_654_435_761) >>> 0;
  const kernel: Kernel = {
    ...plainKernel,
    blockSize: 1 + (turn % 1024),
    registersPerThread: (turn >>> 5) % 256,
    staticShared: (turn >>> 9) % 49_152,
    dynamicShared: (turn >>> 13) % 65_536,
    optIn: turn % 3 === 0,
    maxDynamicShared: 65_536,
    carveout: (turn % 102) - 1,
    barriers: turn % 17,
  };
  return { limits: knowledge.occupancy[turn % knowledge.occupancy.length], kernel };
});

/** Occupancies that are computed in a second, after as long a warm-up. */
export function evaluatedPerSecond(milliseconds: number): number {
  let blocks = 0;
  const pass = (end: number): number => {
    let count = 0;
    while (performance.now() < end) {
      for (const { limits, kernel } of launches) blocks += evaluate(limits, kernel).activeBlocks;
      count += launches.length;
    }
    return count;
  };
  pass(performance.now() + milliseconds);
  const started = performance.now();
  const count = pass(started + milliseconds);
  const seconds = (performance.now() - started) / 1000;
  if (blocks === 0) throw new Error('nothing was computed');
  return count / seconds;
}
