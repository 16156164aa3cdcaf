import { describe, expect, it } from 'vitest';
import type { Trace, TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { nccl } from './nccl.ts';
import { compareRanks } from './ranks.ts';
import { scenesOf } from './scene.ts';

const allReduce = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)';

function found(...traces: readonly Trace[]): readonly TraceFinding[] {
  return nccl(scenesOf(traces), defaultTraceLimits);
}

interface Job {
  readonly ranks: number;
  readonly steps: number;
  /** Computing of a rank in a step, µs. */
  readonly compute: (rank: number, step: number) => number;
  readonly load?: (rank: number, step: number) => number;
  readonly exchange?: number;
  /** How far the clock of a rank is ahead, µs. */
  readonly ahead?: (rank: number) => number;
  readonly hidden?: boolean;
  readonly world?: number;
}

/** All ranks compute, then exchange: the exchange begins when a rank comes and ends when the last has come. */
function job({
  ranks,
  steps,
  compute,
  load,
  exchange = 300,
  ahead = () => 0,
  hidden = false,
  world,
}: Job): readonly Trace[] {
  const scenes = Array.from(
    { length: ranks },
    (_, rank) => new TestScene({ rank, ranks: world ?? ranks, file: `rank${rank}.sqlite` }),
  );
  let now = 0;
  for (let step = 0; step < steps; step++) {
    const ready = scenes.map((_, rank) => now + (load?.(rank, step) ?? 0) + 10 + compute(rank, step));
    const end = Math.max(...ready) + exchange;
    scenes.forEach((scene, rank) => {
      const skew = ahead(rank);
      const from = now + (load?.(rank, step) ?? 0) + 10 + skew;
      scene.at('kernel', from, ready[rank]! + skew, { name: 'gemm', called: [from - 5, from - 2] });
      if (hidden) scene.at('kernel', ready[rank]! + skew, end + skew, { name: 'backward', called: [from - 1, from] });
      scene.at('kernel', ready[rank]! + skew, end + skew, { name: allReduce, stream: 20, called: [from, from + 3] });
    });
    now = end;
  }
  return scenes.map((scene) => scene.finish());
}

describe('communication', () => {
  it('is exposed where nothing is computed beside it', () => {
    const [trace] = job({ ranks: 1, steps: 30, compute: () => 1000, exchange: 500 });
    const [finding] = found({ ...trace!, rank: null, ranks: null });
    expect(finding).toMatchObject({ cause: 'nccl-exposed-communication', kind: 'waste', certainty: 'likely' });
    expect(finding!.saving!.upperBoundNs).toBe(30 * 500_000);
    expect(finding!.missing!.fact).toBe('whether one rank comes late to every collective');
  });

  it('is exposed for certain where the traces of all ranks are there', () => {
    const traces = job({ ranks: 4, steps: 30, compute: () => 1000, exchange: 500 });
    expect(found(...traces)).toMatchObject([{ cause: 'nccl-exposed-communication', certainty: 'proved' }]);
  });

  it('is well where computing hides it', () => {
    const traces = job({ ranks: 2, steps: 30, compute: () => 1000, hidden: true });
    expect(found(...traces).map(({ cause }) => cause)).toEqual(['ok-nccl-overlapped']);
  });

  it('is exposed in two steps of all ranks, and of one rank in no less than three', () => {
    const few = (ranks: number, steps: number): readonly string[] =>
      found(...job({ ranks, steps: steps + 1, compute: () => 4000, exchange: 4000 })).map(
        ({ cause, certainty }) => `${cause} ${certainty}`,
      );
    expect(few(4, 3)).toEqual(['nccl-exposed-communication likely']);
    expect(few(1, 3)).toEqual(['nccl-exposed-communication likely']);
    expect(few(1, 1)).toEqual([]);
  });

  it('costs next to nothing where it is short', () => {
    expect(found(...job({ ranks: 2, steps: 30, compute: () => 5000, exchange: 50 }))).toEqual([]);
  });

  it('shows one long exchange at the start as no habit', () => {
    const scene = new TestScene();
    scene.kernel(30_000, { name: allReduce }).toFixed();
    scene.kernels(50, 1000);
    expect(found(scene.finish())).toEqual([]);
  });

  it('raises a suspicion where the same operation takes very different times', () => {
    const scene = new TestScene();
    for (let step = 0; step < 40; step++) {
      scene.kernel(500).toFixed();
      scene.kernel(step % 4 === 0 ? 50 : 700, { name: allReduce }).toFixed();
    }
    expect(found(scene.finish())).toMatchObject([
      { cause: 'nccl-exposed-communication', kind: 'waste' },
      { cause: 'nccl-straggler-rank', kind: 'unclear' },
    ]);
  });
});

describe('a late rank', () => {
  it.each([
    ['starts late', (rank: number, step: number) => (rank === 2 && step === 0 ? 12_000 : 20)],
    ['pauses once', (rank: number, step: number) => (rank === 0 && step === 17 ? 12_000 : 20)],
    ['comes last by turns with another', (rank: number, step: number) => (rank < 2 && step % 2 === rank ? 600 : 20)],
  ] as const)('is no straggler where it %s', (_, load) => {
    const causes = found(...job({ ranks: 4, steps: 30, exchange: 50, compute: () => 1000, load }));
    expect(causes.map(({ cause }) => cause)).not.toContain('nccl-straggler-rank');
  });

  it.each([
    [
      'computes longer',
      { compute: (rank: number) => (rank === 2 ? 1600 : 1000) },
      'it has more to compute|its GPU is slower',
    ],
    [
      'gets its input late',
      { compute: () => 1000, load: (rank: number) => (rank === 2 ? 700 : 20) },
      'does something that the trace does not show',
    ],
  ] as const)('is found where it %s', (_, how, why) => {
    const [finding] = found(...job({ ranks: 4, steps: 30, exchange: 50, ...how }));
    expect(finding).toMatchObject({ cause: 'nccl-straggler-rank', kind: 'waste', certainty: 'proved' });
    expect(finding!.message).toMatch(/^rank 2 comes last to 30 of 30 collectives/);
    expect(finding!.message).toMatch(new RegExp(why));
    expect(finding!.explains).toContain('nccl-exposed-communication');
    // The others' collectives are long because they wait: that is told once.
    expect(found(...job({ ranks: 4, steps: 30, exchange: 50, ...how })).map(({ cause }) => cause)).toEqual([
      'nccl-straggler-rank',
    ]);
    // Without it every step would be as short as those of the others.
    expect(finding!.saving!.upperBoundNs).toBeGreaterThanOrEqual(30 * 590_000);
  });

  it('is found though the clocks of the ranks are seconds apart', () => {
    const compute = (rank: number): number => (rank === 1 ? 1600 : 1000);
    const traces = job({ ranks: 4, steps: 30, exchange: 50, compute, ahead: (rank) => rank * 1_500_000 });
    const [finding] = found(...traces);
    expect(finding!.message).toMatch(/^rank 1 comes last/);
    expect(finding!.message).toContain('the clocks of the ranks are up to 4.50 s apart');
    expect(compareRanks(scenesOf(traces))!.ranks.map(({ offsetNs }) => offsetNs)).toEqual([0, 1.5e9, 3e9, 4.5e9]);
  });

  it.each([
    ['likely where it is the last of all', (rank: number) => (rank === 2 ? 1900 : 1000), 'likely'],
    ['none where it is not', (rank: number, step: number) => (rank === (step === 0 ? 0 : 2) ? 1900 : 1000), null],
  ] as const)('of four collectives is %s', (_, compute, certainty) => {
    const [finding] = found(...job({ ranks: 8, steps: 4, exchange: 50, compute })).filter(
      ({ cause }) => cause === 'nccl-straggler-rank',
    );
    expect(finding?.certainty ?? null).toBe(certainty);
  });

  it.each([
    ['every kind of kernel lasts longer, though it launches fewer', [1.9, 1.9, 1.9, 1.9], 90, 'its GPU is slower'],
    ['all kinds but one that waits for memory do', [1.9, 1, 1.9, 1.9], 90, 'its GPU is slower'],
    ['half the kinds last longer, with the same grids', [2.2, 1, 1, 2.2], 100, null],
  ] as const)('of a rank says no more than its kernels show: %s', (_, longer, blocks, says) => {
    const scenes = Array.from({ length: 4 }, (_each, rank) => {
      const scene = new TestScene({ rank, ranks: 4, file: `rank${rank}.json` });
      const usual = 1000;
      const late = longer.reduce((sum, times) => sum + 250 * times, 0);
      for (let step = 0; step < 12; step++) {
        const from = step * (late + 100);
        let at = from;
        for (const [kind, times] of longer.entries()) {
          const us = 250 * (rank === 2 ? times : 1);
          const grid = [rank === 2 && kind === 0 && step % 2 === 0 ? blocks : 100, kind + 1, 1] as const;
          scene.at('kernel', at, at + us, { name: `kind${kind}`, shape: { grid }, called: [from - 5, from - 2] });
          at += us;
        }
        const arrives = from + (rank === 2 ? late : usual);
        scene.at('kernel', arrives, from + late + 50, { name: allReduce, stream: 20, called: [from, from + 3] });
      }
      return scene.finish();
    });
    const finding = found(...scenes).find(({ cause }) => cause === 'nccl-straggler-rank')!;
    expect(finding.message.includes('its GPU is slower')).toBe(says !== null);
    expect(finding.message).not.toContain('more to compute');
    expect(finding.measured.some(({ name }) => name === 'waiting for a slower GPU')).toBe(says !== null);
  });

  it.each([
    ['as many kernels that last longer', 1, 1.7, true],
    ['more kernels', 2, 1, false],
    ['kernels that last little longer', 1, 1.05, false],
  ] as const)('of one step has %s', (_, times, longer, isSlow) => {
    const scenes = Array.from({ length: 4 }, (_each, rank) => {
      const scene = new TestScene({ rank, ranks: 4, file: `rank${rank}.json` });
      const isLate = rank === 2;
      scene.kernels(isLate ? 20 * times : 20, isLate ? 500 * longer : 500);
      scene.kernel((isLate ? 100 : 100 + 10_000 * (times * longer - 1)) + 1, { name: allReduce });
      scene.kernels(5, isLate ? 500 * longer : 500);
      return scene.finish();
    });
    const causes = found(...scenes).map(({ cause }) => cause);
    expect(causes.includes('nccl-straggler-rank')).toBe(isSlow);
  });

  it('is none where another one is late each time', () => {
    const traces = job({
      ranks: 4,
      steps: 40,
      exchange: 50,
      compute: (rank, step) => (step % 4 === rank ? 1600 : 1000),
    });
    expect(found(...traces).map(({ cause }) => cause)).not.toContain('nccl-straggler-rank');
  });

  it('is none where only the clocks differ', () => {
    const traces = job({ ranks: 4, steps: 40, exchange: 50, compute: () => 1000, ahead: (rank) => rank * 5000 });
    expect(found(...traces)).toEqual([]);
  });

  it('is likely where traces are missing', () => {
    const compute = (rank: number): number => (rank === 1 ? 1600 : 1000);
    const [finding] = found(...job({ ranks: 3, steps: 30, exchange: 50, compute, world: 8 }));
    expect(finding).toMatchObject({
      certainty: 'likely',
      missing: { fact: 'the traces of the other ranks (3, 4, 5, 6, 7)' },
    });
  });

  it('is found where one trace begins some collectives later', () => {
    const compute = (rank: number, step: number): number => (rank === 1 ? 1600 : 1000 + (step % 3) * 40);
    const late = job({ ranks: 2, steps: 30, exchange: 50, compute });
    const cut = { ...late[1]!, work: cutWork(late[1]!, 8) };
    const comparison = compareRanks(scenesOf([late[0]!, cut]));
    expect(comparison).toMatchObject({ matched: 26 });
    expect(comparison!.ranks[1]!.last).toBe(26);
  });

  it('is one of several GPUs of one trace', () => {
    const scene = new TestScene();
    for (let step = 0; step < 30; step++) {
      const now = step * 2000;
      for (const device of [0, 1]) {
        const from = now + (device === 1 ? 1500 : 900);
        scene.at('kernel', now, from, { name: 'gemm', device });
        scene.at('kernel', from, now + 1600, { name: allReduce, device, stream: 20 });
      }
    }
    const [late] = found(scene.finish());
    expect(late).toMatchObject({ cause: 'nccl-straggler-rank' });
    expect(late!.message).toMatch(/^GPU 1 comes last/);
  });
});

/** The work of a trace without its first rows. */
function cutWork({ work }: Trace, rows: number): Trace['work'] {
  const { count, graphNode, ...columns } = work;
  const cut = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.subarray(rows)]));
  return { ...(cut as typeof columns), count: count - rows, graphNode };
}
