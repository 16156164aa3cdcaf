import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { copies } from './copies.ts';
import { scenesOf } from './scene.ts';

const mib = 1 << 20;

function found(scene: TestScene): readonly TraceFinding[] {
  return copies(scenesOf([scene.finish()])[0]!, defaultTraceLimits);
}

function causes(scene: TestScene): readonly string[] {
  return found(scene).map(({ cause }) => cause);
}

/** Steps of a copy and kernels, each waiting for the other. */
function takingTurns(
  steps: number,
  copy: Parameters<TestScene['copy']>[1],
  copyTakes = 900,
  kernelTakes = 1000,
): TestScene {
  const scene = new TestScene();
  for (let step = 0; step < steps; step++) {
    scene.copy(copyTakes, copy).toFixed();
    scene.wait('cudaStreamSynchronize');
    scene.kernels(2, kernelTakes / 2);
    scene.wait();
  }
  return scene;
}

describe('copies between host and GPU', () => {
  it('cost time where they come from page-locked memory and take turns with kernels', () => {
    const [finding] = found(takingTurns(30, { bytes: 20 * mib }));
    expect(finding).toMatchObject({ cause: 'copies-not-overlapped', kind: 'waste', certainty: 'proved' });
    expect(finding!.saving!.upperBoundNs).toBeGreaterThanOrEqual(29 * 900_000);
    expect(finding!.marks).toHaveLength(30);
    expect(finding!.quotes.length).toBeGreaterThan(0);
  });

  it('cost time where the memory is pageable and the calls are asynchronous', () => {
    const scene = takingTurns(30, { from: 'pageable', bytes: 6 * mib });
    expect(found(scene)[0]).toMatchObject({ cause: 'pageable-copies-synchronous', kind: 'waste' });
  });

  it('cost time where the memory is pageable and the calls are not', () => {
    const scene = takingTurns(30, { from: 'pageable', bytes: 6 * mib, call: 'cudaMemcpy_v3020' });
    expect(found(scene)[0]).toMatchObject({ cause: 'pageable-copies-slow', kind: 'waste' });
    const back = takingTurns(30, {
      direction: 'DtoH',
      from: 'device',
      to: 'pageable',
      bytes: 6 * mib,
      call: 'cudaMemcpy',
    });
    expect(found(back)[0]).toMatchObject({ cause: 'pageable-copies-slow' });
  });

  const gh200 = 'NVIDIA GH200 480GB';
  const pageable: readonly (readonly [string, string | null, number, readonly string[]])[] = [
    ['fast on a coherent link, and in the way', gh200, 320, ['copies-not-overlapped', 'ok-pageable-fast-on-gh200']],
    ['fast on a coherent link', gh200, 32, ['ok-pageable-fast-on-gh200']],
    ['fast on a GB200', 'NVIDIA GB200', 32, ['ok-pageable-fast-on-gh200']],
    ['slow on a coherent link', gh200, 6, ['pageable-copies-slow']],
    ['few and slow on a coherent link', gh200, 0.4, ['ok-pageable-negligible']],
    ['as fast as no board of PCI Express is', 'NVIDIA H100 PCIe', 32, []],
    ['on a GPU that is not named', null, 32, []],
  ];

  it.each(pageable)('of pageable memory are %s', (_, name, mebibytes, expected) => {
    // 100 µs beside kernels of 2 ms at 32 MiB; 6 MiB take as long as over a slow road.
    const takes = mebibytes === 6 ? 1000 : mebibytes * 3;
    const scene = takingTurns(
      30,
      { from: 'pageable', bytes: Math.round(mebibytes * mib), call: 'cudaMemcpy' },
      takes,
      mebibytes === 320 ? 1000 : 2000,
    );
    if (name !== null) scene.builder.device(0, { name });
    expect(causes(scene)).toEqual(expected);
  });

  it('of pageable memory are not fast where pinned ones are far faster', () => {
    const scene = takingTurns(30, { from: 'pageable', bytes: 8 * mib, call: 'cudaMemcpy' }, 100, 3000);
    for (let copy = 0; copy < 10; copy++) scene.copy(90, { bytes: 32 * mib }).toFixed();
    scene.builder.device(0, { name: gh200 });
    expect(causes(scene)).not.toContain('ok-pageable-fast-on-gh200');
  });

  it('say which way they go, and which calls wait', () => {
    const scene = takingTurns(30, { bytes: 20 * mib, call: 'cudaMemcpy_v3020' });
    expect(found(scene)[0]!.message).toMatch(/600\.0 MiB to the GPU, .*; 30 calls wait until the copy is done/);
    expect(found(takingTurns(30, { bytes: 20 * mib }))[0]!.message).not.toContain('wait');
  });

  /** A copy of the next round runs beside the kernels of this one. */
  function pipelined(copyTakes: number, kernelTakes: number, back: boolean): TestScene {
    const scene = new TestScene();
    let [copied, computed] = [0, 0];
    for (let round = 0; round < 30; round++) {
      const ready = scene.copy(copyTakes, { stream: 13, bytes: 25 * 1000 * copyTakes });
      computed = scene.kernel(kernelTakes, { stream: 14, after: Math.max(ready, computed) });
      if (back)
        copied = scene.copy(copyTakes, {
          stream: 15,
          bytes: 25 * 1000 * copyTakes,
          direction: 'DtoH',
          from: 'device',
          to: 'pinned',
          after: Math.max(computed, copied),
        });
    }
    return scene;
  }

  it.each([
    ['to the GPU', 2000, 800, false],
    ['both ways', 2000, 800, true],
  ] as const)('are overlapped where they last longer than the kernels beside them: %s', (_, copy, kernel, back) => {
    const [finding] = found(pipelined(copy, kernel, back));
    expect(finding).toMatchObject({ cause: 'ok-copies-pinned-overlapped', kind: 'healthy' });
    expect(finding!.message).toContain('the link is the limit');
  });

  it('cost time where they are many and small', () => {
    const scene = new TestScene();
    for (let step = 0; step < 20; step++) {
      for (let each = 0; each < 30; each++) {
        scene.copy(2, { bytes: 4096 }).toFixed();
        scene.pause(4);
      }
      scene.kernel(300).toFixed();
      scene.wait();
    }
    expect(found(scene)[0]).toMatchObject({ cause: 'many-small-copies', kind: 'waste' });
  });

  it('cost time where they are many and small, and no calls were recorded', () => {
    const scene = new TestScene();
    for (let step = 0; step < 300; step++) {
      scene.copy(2, { bytes: 4096, call: null }).toFixed();
      scene.pause(10);
      scene.kernel(20, { call: null }).toFixed();
      scene.pause(25);
    }
    expect(found(scene)[0]).toMatchObject({ cause: 'many-small-copies', kind: 'waste' });
  });

  it('are offloading where they go both ways and take longer than the kernels', () => {
    const scene = new TestScene();
    for (let step = 0; step < 20; step++) {
      scene.copy(2000, { bytes: 50 * mib }).toFixed();
      scene.kernel(1000).toFixed();
      scene.copy(2000, { direction: 'DtoH', from: 'device', to: 'pinned', bytes: 50 * mib }).toFixed();
    }
    expect(causes(scene)).toEqual(['host-offload-copy-bound']);
  });

  it.each([
    [
      'lie under kernels',
      (scene: TestScene) => {
        for (let step = 0; step < 30; step++) {
          scene.copy(800, { stream: 13, bytes: 20 * mib, after: scene.done() - 1000 }).toFixed();
          scene.kernel(1000).toFixed();
        }
      },
      ['ok-copies-pinned-overlapped'],
    ],
    [
      'are pageable and few',
      (scene: TestScene) => {
        for (let step = 0; step < 30; step++) {
          scene.copy(8, { from: 'pageable', bytes: 4096, call: 'cudaMemcpy' }).toFixed();
          scene.kernels(4, 500);
        }
      },
      ['ok-pageable-negligible'],
    ],
    [
      'load the program once, before the first kernel',
      (scene: TestScene) => {
        for (let each = 0; each < 40; each++) scene.copy(2000, { from: 'pageable', bytes: 12 * mib }).toFixed();
        scene.kernels(40, 1000);
      },
      ['ok-pageable-negligible'],
    ],
    [
      'load the next part once, in between',
      (scene: TestScene) => {
        scene.kernels(40, 500);
        scene.wait();
        for (let each = 0; each < 20; each++) scene.copy(500, { bytes: 12 * mib }).toFixed();
        scene.wait();
        scene.kernels(40, 500);
      },
      [],
    ],
    [
      'go between GPUs',
      (scene: TestScene) => {
        for (let step = 0; step < 20; step++) {
          scene.copy(200, { direction: 'PtoP', from: 'device', bytes: 40 * mib }).toFixed();
          scene.kernel(400).toFixed();
        }
      },
      ['ok-peer-copies'],
    ],
    [
      'stay on the GPU, as memsets do',
      (scene: TestScene) => {
        for (let step = 0; step < 30; step++) {
          scene.copy(300, { direction: 'DtoD', from: 'device', bytes: 40 * mib }).toFixed();
          scene.launch('memset', 300, { bytes: mib }).toFixed();
          scene.kernel(400).toFixed();
        }
      },
      [],
    ],
    [
      'read a result back in each step',
      (scene: TestScene) => {
        for (let step = 0; step < 30; step++) {
          scene.kernels(40, 20);
          scene
            .copy(2, { direction: 'DtoH', from: 'device', to: 'pageable', bytes: 4, call: 'cudaMemcpyAsync' })
            .toFixed();
          scene.wait('cudaStreamSynchronize');
          scene.pause(150);
        }
      },
      [],
    ],
  ] as const)('cost nothing where they %s', (_, tell, expected) => {
    const scene = new TestScene();
    tell(scene);
    expect(found(scene).filter(({ kind }) => kind === 'waste')).toEqual([]);
    expect(causes(scene)).toEqual(expected);
  });

  it('are bounded by what the same work done well gains', () => {
    const bad = takingTurns(50, { bytes: 20 * mib }, 300, 1000);
    const good = new TestScene();
    for (let step = 0; step < 50; step++) {
      good.copy(300, { stream: 13, bytes: 20 * mib }).toFixed();
      good.kernels(2, 500, { after: good.done(13) });
    }
    const spans = [bad, good].map((scene) => scenesOf([scene.finish()])[0]!.spanNs);
    const [finding] = found(takingTurns(50, { bytes: 20 * mib }, 300, 1000));
    expect(finding!.saving!.upperBoundNs).toBeGreaterThanOrEqual(spans[0]! - spans[1]!);
  });
});
