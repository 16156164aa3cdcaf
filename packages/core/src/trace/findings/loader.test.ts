import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { loader } from './loader.ts';
import { scenesOf } from './scene.ts';

function found(scene: TestScene): readonly TraceFinding[] {
  return loader(scenesOf([scene.finish()])[0]!, defaultTraceLimits);
}

/** Steps that load a batch, copy it and compute. */
function training(steps: number, loads: (step: number) => number, named: boolean): TestScene {
  const scene = new TestScene();
  for (let step = 0; step < steps; step++) {
    const from = scene.now;
    scene.pause(loads(step));
    if (named) scene.range('loader', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', from, scene.now);
    scene.copy(50, { bytes: 1 << 20 }).toFixed();
    scene.kernels(20, 100);
    scene.wait();
  }
  return scene;
}

describe('input', () => {
  it('is late where a loader says so', () => {
    expect(found(training(20, () => 1500, true))[0]).toMatchObject({
      cause: 'input-pipeline-bound',
      kind: 'waste',
      certainty: 'proved',
    });
  });

  it('is likely to be late where nothing is called until a batch is copied', () => {
    expect(found(training(20, () => 1500, false))[0]).toMatchObject({
      cause: 'input-pipeline-bound',
      certainty: 'likely',
      missing: { fact: 'what the program does in these waits' },
    });
  });

  it.each([
    ['as long as the steps', 4, 122_000, ['input-pipeline-bound']],
    ['three times', 3, 122_000, ['input-pipeline-bound']],
    ['twice, which may be chance', 2, 122_000, []],
    ['little', 4, 200, []],
  ] as const)('is likely late in a short trace that waits %s', (_, waits, length, causes) => {
    const scene = new TestScene();
    for (let step = 0; step <= waits; step++) {
      const from = scene.now;
      if (step > 0) scene.pause(length).range('loader', 'enumerate(DataLoader)#__next__', from, scene.now);
      scene.copy(50, { bytes: 1 << 20 }).toFixed();
      scene.kernels(200, 500);
      scene.wait();
    }
    const wastes = found(scene).filter(({ kind }) => kind === 'waste');
    expect(wastes.map(({ cause }) => cause)).toEqual(causes);
    for (const waste of wastes) expect(waste.certainty).toBe('likely');
  });

  it('may be that of a server where the waits are uneven', () => {
    const lengths = [200, 9000, 300, 4000, 15_000, 250, 700, 12_000, 400, 2500];
    expect(found(training(30, (step) => lengths[step % 10]!, false))).toMatchObject([
      { cause: 'input-pipeline-bound', kind: 'unclear' },
    ]);
  });

  it('may be that of a person where the waits last seconds', () => {
    expect(found(training(12, () => 2_500_000, false))).toMatchObject([
      { cause: 'input-pipeline-bound', kind: 'unclear' },
    ]);
    expect(found(training(12, () => 2_500_000, true))).toMatchObject([{ kind: 'waste', certainty: 'proved' }]);
  });

  it('may be that of a server where only some of the batches are waited for', () => {
    const scene = training(60, (step) => (step % 4 === 0 ? 6000 : 0), false);
    expect(found(scene)).toMatchObject([{ cause: 'input-pipeline-bound', kind: 'unclear' }]);
  });

  it('is likely to be late where small copies come between the batches', () => {
    const scene = new TestScene();
    for (let step = 0; step < 20; step++) {
      scene
        .pause(1500)
        .copy(50, { bytes: 1 << 20 })
        .toFixed();
      for (let part = 0; part < 4; part++) {
        scene.kernels(5, 100);
        scene.copy(2, { bytes: 64 }).toFixed();
      }
      scene.wait();
    }
    expect(found(scene)[0]).toMatchObject({ cause: 'input-pipeline-bound', kind: 'waste' });
  });

  it('keeps up where the waits are short', () => {
    expect(found(training(20, () => 30, true)).map(({ cause }) => cause)).toEqual(['ok-loader-keeps-up']);
  });

  it('is slow once, for the first batch', () => {
    const scene = new TestScene();
    scene.kernel(50).toFixed();
    const from = scene.now;
    scene.pause(40_000).range('loader', 'load_batch', from, scene.now);
    for (let step = 0; step < 20; step++) {
      scene.copy(50, { bytes: 1 << 20 }).toFixed();
      scene.kernels(20, 100);
    }
    expect(found(scene).map(({ cause }) => cause)).toEqual(['ok-first-batch-slow']);
  });

  it('is loaded beside the GPU by another thread', () => {
    const scene = training(20, () => 5, false);
    const worker = scene.builder.thread(100, 2);
    scene.builder.ranges.push({ kind: 'loader', name: 'worker', start: 0, end: scene.now * 1000, thread: worker });
    expect(found(scene).filter(({ kind }) => kind === 'waste')).toEqual([]);
  });

  it('is no subject where there is none', () => {
    expect(found(new TestScene().kernels(50, 100))).toEqual([]);
  });
});
