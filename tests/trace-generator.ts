// Traces with known truth: programs run on a machine in time, and are written as a profiler records them.
import { dataScenes } from './traces/scenes-data.ts';
import { inputScenes } from './traces/scenes-input.ts';
import { kernelScenes } from './traces/scenes-kernels.ts';
import { launchScenes } from './traces/scenes-launch.ts';
import { rankScenes } from './traces/scenes-ranks.ts';
import type { Build, Scene } from './traces/scene.ts';
import { playScene } from './traces/scene.ts';

const builds: Readonly<Record<string, Build>> = {
  ...launchScenes,
  ...kernelScenes,
  ...dataScenes,
  ...inputScenes,
  ...rankScenes,
};

export const traceSceneNames: readonly string[] = Object.keys(builds);

/** The scene of a seed. @param right the same work, done right */
export const traceScene = (name: string, seed: number, right = false): Scene =>
  playScene(name, builds[name]!, seed, right);
