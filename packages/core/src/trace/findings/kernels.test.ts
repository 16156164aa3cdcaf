import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../model.ts';
import { judgedCauses } from '../testing-judged.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { kernels } from './kernels.ts';
import { launchShapeOf } from './launch-shape.ts';
import { scenesOf } from './scene.ts';

const plain = { registers: 32, staticShared: 0, dynamicShared: 0 };

function onH100(): TestScene {
  const scene = new TestScene();
  scene.builder.device(0, { name: 'NVIDIA H100 80GB HBM3', computeCapability: '9.0', sms: 132 });
  return scene;
}

function grid(blocks: number, rest: object = {}): { readonly shape: object } {
  return { shape: { grid: [blocks, 1, 1], block: [256, 1, 1], ...plain, ...rest } };
}

function found(scene: TestScene): readonly TraceFinding[] {
  return kernels(scenesOf([scene.finish()])[0]!, defaultTraceLimits);
}

describe('kernels on the SMs', () => {
  it('leave most SMs without a block where their grids are tiny', () => {
    const [finding] = found(onH100().kernels(40, 500, grid(4)));
    expect(finding).toMatchObject({ cause: 'busy-label-idle-sms', kind: 'waste' });
    expect(finding!.saving!.upperBoundNs).toBeCloseTo(40 * 500_000 * (1 - (4 * 256) / (132 * 2048)), -3);
  });

  it('waste a wave where the last one is nearly empty', () => {
    // 100 KiB of shared memory: two blocks on each SM, 264 in a wave.
    const [finding] = found(onH100().kernels(40, 500, grid(270, { dynamicShared: 100 << 10 })));
    expect(finding).toMatchObject({ cause: 'wave-quantisation-tail', kind: 'waste', certainty: 'likely' });
    expect(finding!.saving!.upperBoundNs).toBeCloseTo(40 * 500_000 * (1 - 270 / 528), -3);
  });

  it.each([
    ['whole waves', 528, { dynamicShared: 100 << 10 }],
    ['a last wave that is half full', 400, { dynamicShared: 100 << 10 }],
    ['many waves', 2650, { dynamicShared: 100 << 10 }],
    ['less than one wave', 200, { dynamicShared: 100 << 10 }],
    ['an unknown number of registers', 270, { registers: null, dynamicShared: 100 << 10 }],
  ])('are well with %s', (_, blocks, rest) => {
    expect(found(onH100().kernels(40, 500, grid(blocks, rest)))).toEqual([]);
  });

  it.each([
    // An H100 holds 32 blocks: half of its places for warps with one warp each.
    ['one thread', [1, 1, 1], 'which use 3.1 % of the lanes', 63 / 64],
    ['half a warp in two dimensions', [4, 4, 1], 'which use 50 % of the lanes', 3 / 4],
    ['a warp and one thread', [33, 1, 1], 'which use 52 % of the lanes', 31 / 64],
  ])('leave lanes unused in blocks of %s', (_, block, words, saved) => {
    const [finding] = found(onH100().kernels(40, 500, grid(50_000, { block })));
    expect(finding).toMatchObject({ cause: 'block-size-too-small', kind: 'waste', certainty: 'likely' });
    expect(finding!.message).toContain(words);
    expect(finding!.saving!.upperBoundNs).toBeCloseTo(40 * 500_000 * saved, -3);
  });

  it.each([
    ['one warp for each of fewer SMs', 96, 32, 0.24],
    ['half as many blocks of two warps', 48, 64, 0.23],
  ] as const)('leave schedulers without a warp: %s', (_, blocks, threads, share) => {
    const [finding] = found(onH100().kernels(40, 500, grid(Math.round(blocks * 1.3), { block: [threads, 1, 1] })));
    expect(finding).toMatchObject({ cause: 'block-size-too-small', kind: 'waste', certainty: 'likely' });
    expect(finding!.message).toContain(`${(100 * share).toFixed(0)} % of the warp schedulers of 132 SMs`);
    expect(finding!.saving!.upperBoundNs).toBeGreaterThan(0.9 * 40 * 500_000);
  });

  it.each([
    ['four warps for each SM', 130, 128],
    ['several small blocks for each SM', 264, 32],
    ['one block of half the threads of an SM', 132, 1024],
  ] as const)('are no matter of schedulers with %s', (_, blocks, threads) => {
    expect(found(onH100().kernels(40, 500, grid(blocks, { block: [threads, 1, 1] })))).toEqual([]);
  });

  it('leave places for warps unused where only so many small blocks fit', () => {
    const scene = new TestScene();
    scene.builder.device(0, { name: 'NVIDIA A10', computeCapability: '8.6', sms: 72 });
    const [finding] = found(scene.kernels(40, 500, grid(50_000, { block: [32, 1, 1] })));
    expect(finding!.message).toContain('blocks of 32 threads, of which an SM holds 16 at most: 33 % of its warps');
  });

  it.each([
    ['blocks of 128 threads', 'work', { block: [128, 1, 1] }, 500],
    ['small blocks of a library', 'void cutlass::Kernel<x>()', { block: [16, 1, 1] }, 500],
    ['small blocks in short kernels, which is a matter of launching', 'work', { block: [16, 1, 1] }, 5],
    ['small blocks where the SM holds many', 'work', { block: [32, 1, 1] }, 500],
  ])('are no matter of %s', (_, name, rest, takes) => {
    expect(found(onH100().kernels(200, takes, { ...grid(50_000, rest), name }))).toEqual([]);
  });

  it('leave open what few resident warps cost', () => {
    const [finding] = found(onH100().kernels(40, 500, grid(50_000, { registers: 200, block: [256, 1, 1] })));
    expect(finding).toMatchObject({ cause: 'low-achieved-occupancy', kind: 'unclear', certainty: 'possible' });
    expect(finding!.message).toContain('at most 13 % of the warps of an SM resident (200 registers a thread)');
    const { verdict } = judgedCauses(
      onH100()
        .kernels(40, 500, grid(50_000, { registers: 200 }))
        .finish(),
    );
    expect(verdict).toMatchObject({ status: 'ok', findings: [] });
    expect(verdict.unknown.some(({ ask }) => ask.includes('WarpStateStats'))).toBe(true);
  });

  it('need no more warps in products of matrices', () => {
    const name = 'ampere_sgemm_128x64_tn';
    expect(found(onH100().kernels(40, 500, { ...grid(50_000, { registers: 200 }), name }))).toEqual([]);
  });

  it('say nothing where the device does not tell its SMs', () => {
    expect(found(new TestScene().kernels(40, 500, grid(4)))).toEqual([]);
  });

  it('may be tiny where others fill the GPU beside them', () => {
    const scene = onH100();
    for (let each = 0; each < 40; each++) {
      scene.kernel(500, { ...grid(4), stream: 13 }).toFixed();
      scene.kernel(500, { ...grid(2000), stream: 14 }).toFixed();
    }
    expect(found(scene)).toEqual([]);
  });

  it('may be tiny where they cost next to nothing', () => {
    const scene = onH100();
    for (let each = 0; each < 40; each++) {
      scene.kernel(3, { ...grid(1), name: 'reduce_last' }).toFixed();
      scene.kernel(500, grid(2000)).toFixed();
    }
    expect(found(scene).map(({ cause }) => cause)).toEqual(['ok-tiny-kernel-negligible']);
  });

  it('may stay where they fill the GPU', () => {
    const scene = onH100();
    scene.kernel(900_000, { ...grid(132, { dynamicShared: 200 << 10 }), name: 'persistent_loop' }).toFixed();
    scene.kernels(30, 100, grid(2000));
    expect(found(scene).map(({ cause }) => cause)).toEqual(['ok-persistent-kernel']);
  });

  it('are counted as culprit occupancy counts them', () => {
    const shape = { grid: [1056, 1, 1], block: [256, 1, 1], ...plain } as const;
    const device = {
      id: 0,
      name: null,
      computeCapability: '9.0',
      sms: 132,
      memoryBytes: null,
      bandwidth: null,
      clockHz: null,
      uuid: null,
    };
    expect(launchShapeOf(shape, device)).toMatchObject({
      blocks: 1056,
      occupancy: { activeBlocks: 8, occupancy: 1 },
      grid: { waves: 1, tailBlocks: 0 },
    });
  });
});
