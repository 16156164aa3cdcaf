// Traces with known truth: programs run on a machine in time, and are written as a profiler records them.
import { dataScenes } from './traces/scenes-data.ts';
import { dialectOf } from './traces/dialects.ts';
import { inputScenes } from './traces/scenes-input.ts';
import { kernelScenes } from './traces/scenes-kernels.ts';
import { launchScenes } from './traces/scenes-launch.ts';
import { loopScenes } from './traces/scenes-loops.ts';
import { nearScenes } from './traces/scenes-near.ts';
import { parallelScenes } from './traces/scenes-parallel.ts';
import { rankScenes } from './traces/scenes-ranks.ts';
import { servingScenes } from './traces/scenes-serving.ts';
import type { Build, Scene } from './traces/scene.ts';
import { playScene } from './traces/scene.ts';

const builds: Readonly<Record<string, Build>> = {
  ...launchScenes,
  ...kernelScenes,
  ...dataScenes,
  ...inputScenes,
  ...rankScenes,
};

/** Scenes whose files are written in all the ways in which profilers write them. */
const moreBuilds: Readonly<Record<string, Build>> = {
  ...servingScenes,
  ...loopScenes,
  ...parallelScenes,
  ...nearScenes,
};

export const traceSceneNames: readonly string[] = Object.keys(builds);
export const moreTraceSceneNames: readonly string[] = Object.keys(moreBuilds);

/**
 * The scene of a seed.
 * @param right the same work, done right
 * @param any written in any way, also where the scene is usually written in one
 */
export const traceScene = (name: string, seed: number, right = false, any = false): Scene =>
  playScene(
    name,
    (builds[name] ?? moreBuilds[name])!,
    seed,
    right,
    any || name in moreBuilds ? dialectOf(name, seed) : undefined,
  );
