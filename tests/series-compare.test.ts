// A machine before and after a time: what did not change must be equal, what did must be found, and from when on.
import { describe, expect, it } from 'vitest';
import { compareSides, sideOf } from '../packages/core/src/utilization/compare.ts';
import type { SeriesChange } from '../packages/core/src/utilization/compare.ts';
import { defaultThresholds } from '../packages/core/src/utilization/thresholds.rows.ts';
import { setOf } from './series-judged.ts';
import type { Load, Rig, Sample } from './series-machine.ts';
import { boards, runMachine } from './series-machine.ts';
import { randomOf } from './series-random.ts';
import { burstsOf, training } from './series-scenarios.ts';
import { machineDmon } from './series-texts.ts';

const seeds = Math.max(1, Number(process.env['CULPRIT_SERIES'] ?? 4));

interface Draws {
  readonly draw: (low: number, high: number) => number;
  /** Samples of each side. */
  readonly half: number;
  /** Where the second side changes, in samples from the begin of the first. */
  readonly at: number;
}

interface Scene {
  readonly load: (t: number) => Load;
  readonly rig?: (t: number) => Rig;
  readonly alter?: (sample: Sample, t: number) => Sample;
  /** Counters of which one must be told as changed. */
  readonly changed: readonly string[];
}

const scenes: Readonly<Record<string, (draws: Draws) => Scene>> = {
  'training goes on': ({ draw }) => {
    const work = training(draw);
    return { load: () => work, changed: [] };
  },
  'training at the power limit goes on': ({ draw }) => {
    const work = { ...training(draw), heat: 1.3 };
    return { load: () => work, changed: [] };
  },
  'nothing runs, then as before': () => ({ load: () => ({ ...training(() => 0.5), duty: 0, held: 0 }), changed: [] }),
  'training with waits goes on': ({ draw }) => {
    const [work, period] = [training(draw), Math.round(draw(6, 14))];
    return { load: (t) => ({ ...work, duty: t % period < period * 0.6 ? 1 : 0 }), changed: [] };
  },
  'requests come as they came': ({ draw, half }) => {
    const [work, at] = [{ ...training(draw), held: 0.9 }, burstsOf(draw, 2 * half + 60, 4, 6)];
    return { load: (t) => ({ ...work, duty: at[t]! * 0.9, nv: 0 }), changed: [] };
  },
  'the clocks are set lower': ({ draw, at }) => {
    const [work, clocks] = [training(draw), draw(0.4, 0.75)];
    return { load: () => work, rig: (t) => (t >= at ? { clocks } : {}), changed: ['sm-clock'] };
  },
  'the power limit is set lower': ({ draw, at }) => {
    const [work, limit] = [{ ...training(draw), heat: draw(0.9, 1) }, draw(0.45, 0.7)];
    return { load: () => work, rig: (t) => (t >= at ? { limit } : {}), changed: ['power'] };
  },
  'another program runs': ({ draw, at }) => {
    const work = training(draw);
    const other = { ...work, heat: work.heat * draw(0.3, 0.6), dram: work.dram * 0.3, rx: 5000 };
    return { load: (t) => (t >= at ? other : work), changed: ['power'] };
  },
  'the job ends': ({ draw, at }) => {
    const work = training(draw);
    return { load: (t) => (t >= at ? { ...work, duty: 0, held: 0 } : work), changed: ['util'] };
  },
};

function compared(
  name: string,
  seed: number,
): { readonly scene: Scene; readonly at: number; readonly found: readonly SeriesChange[] } {
  const random = randomOf(seed * 977 + name.length);
  const draw = (low: number, high: number): number => low + (high - low) * random();
  const half = Math.round(draw(120, 300));
  // In the middle of the second side, or just where it begins.
  const at = random() < 0.5 ? half : half + Math.round(half * draw(0.2, 0.7));
  const scene = scenes[name]!({ draw, half, at });
  const board = boards[Math.floor(draw(0, boards.length))]!;
  const { rig } = scene;
  const [samples] = runMachine({
    board,
    gpus: 1,
    seconds: 2 * half,
    step: 1,
    seed,
    load: scene.load,
    ...(rig === undefined ? {} : { rig }),
  });
  const text = (from: number, to: number): string =>
    machineDmon(
      { samples: [samples!.slice(from, to)], names: [{ gpu: 0 }], board: board.name, step: 1 },
      'r590',
      'pucmt',
      'DT',
      { seed: seed + from, lostRows: 0.01, lostCells: 0.005, ahead: from },
    );
  const [before, after] = [setOf([text(0, half)]), setOf([text(half, 2 * half)])];
  return { scene, at, found: compareSides(sideOf('before', before), sideOf('after', after), defaultThresholds) };
}

/** Seconds from the begin of the first side. */
function secondsOf(since: SeriesChange['since']): number {
  return (since?.seconds ?? Number.NaN) - Date.UTC(2026, 2, 3, 14, 2, 11) / 1000;
}

describe('a machine before and after', () => {
  it.each(Object.keys(scenes))('%s', { timeout: 300_000 }, (name) => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const { scene, at, found } = compared(name, seed);
      const changed = found.filter(({ state }) => state === 'changed');
      if (scene.changed.length === 0) {
        if (changed.length > 0) wrong.push(`seed ${seed}: ${changed.map(({ metric }) => metric).join(', ')}`);
        continue;
      }
      const told = changed.find(({ metric }) => scene.changed.includes(metric));
      const off = told === undefined ? Number.NaN : Math.abs(secondsOf(told.since) - at);
      if (!(off <= 5))
        wrong.push(`seed ${seed}: changed at ${at}, told ${told?.metric} at ${secondsOf(told?.since ?? null)}`);
    }
    if (process.env['CULPRIT_SERIES'] !== undefined) console.log(`${name}: ${seeds - wrong.length} of ${seeds}`);
    expect(wrong).toEqual([]);
  });
});
