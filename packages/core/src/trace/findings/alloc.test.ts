import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { alloc } from './alloc.ts';
import { scenesOf } from './scene.ts';

function found(scene: TestScene): readonly TraceFinding[] {
  return alloc(scenesOf([scene.finish()])[0]!, defaultTraceLimits);
}

/** Steps that allocate, compute and free; freeing waits for the kernel. */
function allocating(steps: number, from: number, names: readonly [string, string], takes: number): TestScene {
  const scene = new TestScene();
  for (let step = 0; step < steps; step++) {
    if (step >= from) scene.call(names[0], takes);
    scene.kernel(500).toFixed();
    if (step >= from) scene.call(names[1], Math.max(2, scene.done() - scene.now) + takes);
  }
  return scene;
}

describe('memory that is allocated', () => {
  it.each([
    ['cudaMalloc_v3020', 'cudaFree_v3020'],
    ['cuMemAlloc_v2', 'cuMemFree_v2'],
    ['cudaHostAlloc', 'cudaFreeHost'],
  ])('costs time in a loop of %s and %s', (first, second) => {
    const [finding] = found(allocating(40, 0, [first, second], 150));
    expect(finding).toMatchObject({ cause: 'alloc-in-loop', kind: 'waste', certainty: 'proved' });
    expect(finding!.saving!.upperBoundNs).toBe(scenesOf([allocating(40, 0, [first, second], 150).finish()])[0]!.idleNs);
  });

  it('is well where it is allocated once', () => {
    const scene = new TestScene().call('cudaMalloc', 300).call('cudaMalloc', 200);
    scene.kernels(60, 300);
    scene.wait().call('cudaFree', 100);
    expect(found(scene).map(({ cause }) => cause)).toEqual(['ok-allocated-once']);
  });

  it('is well where a caching allocator fills itself in the first step', () => {
    const scene = new TestScene();
    for (let each = 0; each < 12; each++) {
      scene.call('cudaMalloc', 200);
      scene.kernel(100).toFixed();
    }
    scene.kernels(300, 100);
    expect(found(scene).filter(({ kind }) => kind === 'waste')).toEqual([]);
  });

  it('costs nothing where it comes from a pool', () => {
    const scene = new TestScene();
    for (let step = 0; step < 60; step++) {
      scene.call('cudaMallocAsync', 2);
      scene.kernel(100).toFixed();
      scene.call('cudaFreeAsync', 2);
    }
    expect(found(scene)).toEqual([]);
  });

  it('costs nothing where the GPU has work all the while', () => {
    const scene = new TestScene();
    for (let step = 0; step < 60; step++) {
      scene.call('cudaMalloc', 20);
      scene.kernel(1000).toFixed();
    }
    expect(found(scene)).toEqual([]);
  });
});
