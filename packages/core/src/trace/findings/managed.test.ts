import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { managed } from './managed.ts';
import { scenesOf } from './scene.ts';

const us = 1000;

function found(scene: TestScene): readonly TraceFinding[] {
  return managed(scenesOf([scene.finish()])[0]!, defaultTraceLimits);
}

interface Steps {
  readonly steps: number;
  readonly faulting: (step: number) => boolean;
  readonly back?: boolean;
  readonly addresses?: boolean;
  readonly cause?: number;
  readonly pages?: number;
}

/** Kernels of 1 ms that take 3 ms where pages move in them. */
function paged({ steps, faulting, back = false, addresses = false, cause, pages = 20 }: Steps): TestScene {
  const scene = new TestScene();
  const gpu = scene.builder.device(0);
  for (let step = 0; step < steps; step++) {
    const faults = faulting(step);
    const end = scene.kernel(faults ? 3000 : 1000, { name: 'scale' });
    if (faults)
      for (let piece = 0; piece < 10; piece++) {
        const at = end - 2900 + piece * 200;
        const route = { direction: 'UVM_HtoD', from: 'managed', to: 'device', bytes: 1 << 20 } as const;
        scene.at('copy', at + 40, at + 140, { ...route, stream: 20, ...(cause === undefined ? {} : { cause }) });
        scene.builder.fault(at * us, (at + 40) * us, pages, gpu, addresses ? (1 + piece) * (4 << 20) : 0);
      }
    if (back) {
      scene.wait();
      const now = scene.done();
      scene.at('copy', now + 5, now + 600, {
        direction: 'UVM_DtoH',
        from: 'device',
        to: 'managed',
        stream: 20,
        bytes: 10 << 20,
        ...(cause === undefined ? {} : { cause }),
      });
      scene.pause(620);
    }
  }
  return scene;
}

describe('managed memory', () => {
  it('costs time where pages go to the GPU and back in every step', () => {
    const [finding] = found(paged({ steps: 20, faulting: () => true, back: true }));
    expect(finding).toMatchObject({ cause: 'managed-memory-page-faults', kind: 'waste', certainty: 'proved' });
    expect(finding!.message).toContain('the same pages go to the GPU and back');
    // Kernels without faults and without pauses would take 1 ms each.
    expect(finding!.saving!.upperBoundNs).toBeGreaterThanOrEqual(20 * 2_600_000);
  });

  it('costs time where one block faults again and again', () => {
    const [finding] = found(paged({ steps: 20, faulting: () => true, addresses: true }));
    expect(finding!.message).toContain('one block 20 times');
  });

  it('costs time where pages are pushed out', () => {
    const [finding] = found(paged({ steps: 20, faulting: () => true, back: true, cause: 4 }));
    expect(finding!.message).toContain("pushed out of the GPU's memory");
  });

  it('is likely to cost time where faults were not recorded', () => {
    const scene = paged({ steps: 20, faulting: () => true, back: true });
    const trace = scene.finish();
    const none = new Float64Array(0);
    const faults = { count: 0, start: none, end: none, pages: none, device: new Int16Array(0), address: none };
    const [own] = scenesOf([{ ...trace, faults, notRecorded: ['page-faults'] }]);
    expect(managed(own!, defaultTraceLimits)[0]).toMatchObject({
      cause: 'managed-memory-page-faults',
      certainty: 'likely',
      missing: { fact: 'the number of page faults' },
    });
  });

  it('is well where it is fetched ahead', () => {
    const scene = new TestScene();
    for (let step = 0; step < 20; step++) {
      scene.call('cudaMemPrefetchAsync', 5);
      scene
        .copy(200, { direction: 'UVM_HtoD', from: 'managed', stream: 20, bytes: 2 << 20, cause: 3, call: null })
        .toFixed();
      scene.kernel(1000).toFixed();
    }
    expect(found(scene).map(({ cause }) => cause)).toEqual(['ok-managed-prefetched']);
  });

  /** Steps that fetch 64 MiB ahead; with `pushed`, as much is pushed out for them. */
  function fetched(options: {
    readonly pushed: number;
    readonly beside?: boolean;
    readonly back?: boolean;
  }): TestScene {
    const scene = new TestScene();
    scene.builder.device(0, { memoryBytes: 16 * 2 ** 30 });
    const move = (direction: 'UVM_HtoD' | 'UVM_DtoH', at: number, bytes: number, cause: number): void => {
      const route = { direction, from: 'managed', to: direction === 'UVM_HtoD' ? 'device' : 'managed' } as const;
      scene.at('copy', at, at + 1000, { ...route, stream: 20, bytes, cause });
    };
    for (let step = 0; step < 20; step++) {
      scene.call('cudaMemPrefetchAsync_v8000', 5);
      const from = Math.max(scene.now, scene.done());
      if (options.pushed > 0) move('UVM_DtoH', from, options.pushed << 20, 4);
      move('UVM_HtoD', from + (options.pushed > 0 ? 1000 : 0), 64 << 20, 1);
      if (options.back === true) move('UVM_DtoH', from + 2000, 64 << 20, 1);
      scene.kernel(3000, { after: options.beside === true ? 0 : from + 2000 }).toFixed();
    }
    return scene;
  }

  it('costs time where more is fetched ahead than fits, which is no matter of faults', () => {
    const [finding] = found(fetched({ pushed: 60 }));
    expect(finding).toMatchObject({ cause: 'managed-memory-oversubscribed', kind: 'waste', certainty: 'proved' });
    expect(finding!.message).toContain('1.3 GiB to the GPU, in 20 pieces');
    expect(finding!.message).toContain("1.2 GiB are pushed out of the GPU's memory again (it has 16.0 GiB)");
    expect(finding!.message).not.toContain('fault');
    expect(finding!.saving!.upperBoundNs).toBeGreaterThan(35e6);
  });

  it('is open where what is pushed out moves beside kernels', () => {
    const [finding] = found(fetched({ pushed: 60, beside: true }));
    expect(finding).toMatchObject({ cause: 'managed-memory-oversubscribed', kind: 'unclear' });
  });

  it('is well where little is pushed out, or is fetched back on purpose', () => {
    for (const scene of [fetched({ pushed: 6 }), fetched({ pushed: 0, back: true })])
      expect(found(scene)[0]).toMatchObject({ cause: 'ok-managed-prefetched', kind: 'healthy' });
    expect(found(fetched({ pushed: 0, back: true }))[0]!.message).toContain(
      '1.3 GiB to the GPU, 1.3 GiB to the host, in 40 pieces',
    );
  });

  it('tells of faults where there are some, whatever was pushed out', () => {
    const [finding] = found(paged({ steps: 20, faulting: () => true, back: true }));
    expect(finding!.message).toMatch(/^4,000 page faults of the GPU, 200\.0 MiB to the GPU and 200\.0 MiB to the host/);
  });

  it('is no finding where a few pages move at the first touch', () => {
    expect(found(paged({ steps: 60, faulting: (step) => step < 2, pages: 4 }))).toEqual([]);
  });

  it('is no subject where there is none', () => {
    expect(found(new TestScene().kernels(20, 100))).toEqual([]);
  });
});
