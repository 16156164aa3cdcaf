import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { jit } from './jit.ts';
import { scenesOf } from './scene.ts';

function found(scene: TestScene): readonly TraceFinding[] {
  return jit(scenesOf([scene.finish()])[0]!, defaultTraceLimits);
}

function slowLaunch(scene: TestScene, takes: number): void {
  scene.launchTakes = takes;
  scene.kernel(100).toFixed();
  scene.launchTakes = 3;
}

describe('kernels that are compiled', () => {
  it.each([
    [
      'modules are loaded',
      (scene: TestScene) => {
        for (let each = 0; each < 4; each++) {
          scene.call('cuModuleLoadData', 3000);
          scene.kernel(100).toFixed();
        }
      },
    ],
    [
      'a compiler says so',
      (scene: TestScene) => {
        scene.kernel(100).toFixed();
        const from = scene.now;
        scene.pause(9000).range('compile', 'inductor_compile', from, scene.now);
        scene.kernel(100).toFixed();
      },
    ],
    [
      'the first launches take long',
      (scene: TestScene) => {
        for (let each = 0; each < 4; each++) slowLaunch(scene, 3000);
      },
    ],
  ] as const)('are the price of the first step where %s', (_, tell) => {
    const scene = new TestScene();
    tell(scene);
    scene.kernels(200, 100);
    expect(found(scene).map(({ cause }) => cause)).toEqual(['ok-first-iteration-jit']);
  });

  it.each([
    ['modules are loaded', (scene: TestScene) => scene.call('cuModuleLoadDataEx', 900)],
    [
      'a compiler says so',
      (scene: TestScene) => {
        const from = scene.now;
        scene.pause(900).range('compile', 'torch._dynamo compile', from, scene.now);
      },
    ],
    ['launches load their kernels', (scene: TestScene) => slowLaunch(scene, 900)],
  ] as const)('are waste where in every step %s', (_, tell) => {
    const scene = new TestScene();
    for (let step = 0; step < 20; step++) {
      scene.wait();
      tell(scene);
      scene.kernels(10, 100);
    }
    const [finding] = found(scene);
    expect(finding).toMatchObject({ cause: 'recompiles-in-steady-state', kind: 'waste' });
    expect(finding!.saving!.upperBoundNs).toBeGreaterThan(15 * 900_000);
  });

  it('cannot be told a habit from a pause where they are few', () => {
    const scene = new TestScene();
    for (let step = 0; step < 30; step++) {
      if (step === 12 || step === 20) scene.wait().call('cuModuleLoadData', 4000);
      scene.kernels(10, 100);
    }
    expect(found(scene)).toMatchObject([{ cause: 'recompiles-in-steady-state', kind: 'unclear' }]);
  });

  it('are no subject where none is', () => {
    expect(found(new TestScene().kernels(50, 100))).toEqual([]);
  });
});
