import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Trace } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { findingsOf } from './findings.ts';
import { scenesOf } from './scene.ts';

const mib = 1 << 20;
const grid = {
  shape: { grid: [2000, 1, 1], block: [256, 1, 1], registers: 40, staticShared: 0, dynamicShared: 0 },
} as const;

/** The same work done badly and well. */
interface Pair {
  readonly bad: (scene: TestScene) => void;
  readonly good: (scene: TestScene) => void;
}

function blockingCopy(scene: TestScene, takes: number, bytes: number): void {
  const from = Math.max(scene.now + 4, scene.done());
  const called: readonly [number, number] = [scene.now, from + takes + 3];
  scene.at('copy', from, from + takes, { from: 'pageable', bytes, call: 'cudaMemcpy', called });
  scene.now = called[1];
}

function steps(count: number, step: (scene: TestScene, at: number) => void): (scene: TestScene) => void {
  return (scene) => {
    for (let at = 0; at < count; at++) step(scene, at);
  };
}

const overlapped = steps(40, (scene) => {
  scene.copy(700, { stream: 13, bytes: 16 * mib }).toFixed();
  scene.kernels(4, 300, { ...grid, after: scene.done(13) });
});

const computing = steps(60, (scene) => void scene.kernel(300, grid));

const pairs: readonly (readonly [string, string, Pair])[] = [
  [
    'copies from pageable memory',
    'pageable-copies-slow',
    {
      bad: steps(40, (scene) => {
        blockingCopy(scene, 2000, 16 * mib);
        scene.kernels(4, 300, grid);
        scene.wait();
      }),
      good: overlapped,
    },
  ],
  [
    'copies in turn with kernels',
    'copies-not-overlapped',
    {
      bad: steps(40, (scene) => {
        scene.copy(700, { bytes: 16 * mib }).toFixed();
        scene.kernels(4, 300, grid);
        scene.wait();
      }),
      good: overlapped,
    },
  ],
  [
    'many small copies',
    'many-small-copies',
    {
      bad: steps(40, (scene) => {
        for (let each = 0; each < 20; each++) blockingCopy(scene, 2, 1024);
        scene.kernel(300, grid).toFixed();
        scene.wait();
      }),
      good: steps(40, (scene) => {
        scene.copy(3, { bytes: 20_480, stream: 13 }).toFixed();
        scene.kernel(300, { ...grid, after: scene.done(13) }).toFixed();
      }),
    },
  ],
  [
    'memory allocated in each step',
    'alloc-in-loop',
    {
      bad: steps(60, (scene) => {
        scene.call('cudaMalloc', 80);
        scene.kernel(300, grid).toFixed();
        scene.call('cudaFree', Math.max(2, scene.done() - scene.now) + 60);
      }),
      good: computing,
    },
  ],
  [
    'input that is late',
    'input-pipeline-bound',
    {
      bad: steps(60, (scene) => {
        const from = scene.now;
        scene.pause(200).range('loader', 'load_batch', from, scene.now);
        scene.kernel(300, grid).toFixed();
        scene.wait();
      }),
      good: computing,
    },
  ],
  [
    'communication after computing',
    'nccl-exposed-communication',
    {
      bad: steps(60, (scene) => {
        scene.kernel(300, { ...grid, after: scene.done() }).toFixed();
        scene.kernel(100, { name: 'ncclDevKernel_AllReduce_Sum_f32', stream: 20, after: scene.done() }).toFixed();
      }),
      good: computing,
    },
  ],
  [
    'kernels that compile in each step',
    'recompiles-in-steady-state',
    {
      bad: steps(60, (scene) => {
        scene.call('cuModuleLoadData', 700);
        scene.kernel(300, grid).toFixed();
      }),
      good: computing,
    },
  ],
];

function traceOf(tell: (scene: TestScene) => void): Trace {
  const scene = new TestScene();
  scene.builder.device(0, { name: 'NVIDIA H100', computeCapability: '9.0', sms: 132 });
  tell(scene);
  return scene.finish();
}

describe('findings', () => {
  it.each(pairs)(
    'lead with what %s cost, and promise no less than doing them well gains',
    (_, cause, { bad, good }) => {
      const [worse, better] = [scenesOf([traceOf(bad)])[0]!, scenesOf([traceOf(good)])[0]!];
      const [lead] = findingsOf([worse], defaultTraceLimits);
      expect(lead).toMatchObject({ cause, kind: 'waste' });
      expect(lead!.saving!.upperBoundNs).toBeGreaterThanOrEqual(worse.spanNs - better.spanNs);
      expect(lead!.saving!.upperBoundNs).toBeLessThanOrEqual(worse.spanNs);
      const well = findingsOf([better], defaultTraceLimits);
      expect(well.filter(({ kind }) => kind === 'waste')).toEqual([]);
    },
  );

  const time = fc.integer({ min: 0, max: 100_000 });
  const work = fc.record({
    kind: fc.constantFrom('kernel', 'copy', 'memset', 'graph'),
    from: time,
    takes: fc.integer({ min: -50, max: 5000 }),
    stream: fc.constantFrom(7, 13, 14, 20),
    device: fc.constantFrom(0, 1),
    name: fc.constantFrom(
      'gemm',
      'ampere_sgemm_64x64',
      'ncclDevKernel_AllReduce_Sum_f32',
      'ncclKernel_SendRecv',
      'ünïcode<>()',
      '',
    ),
    direction: fc.constantFrom('HtoD', 'DtoH', 'DtoD', 'PtoP', 'UVM_HtoD', 'UVM_DtoH', 'unknown'),
    memory: fc.constantFrom('pageable', 'pinned', 'managed', 'unknown'),
    bytes: fc.constantFrom(0, 4, 4096, 64 * mib),
    called: fc.option(fc.tuple(time, fc.integer({ min: 0, max: 2000 })), { nil: undefined }),
    blocks: fc.constantFrom(0, 1, 133, 2000),
  });
  const call = fc.tuple(
    fc.constantFrom('cudaMalloc', 'cudaFree', 'cuModuleLoadData', 'cudaDeviceSynchronize', 'cudaMemPrefetchAsync'),
    time,
    fc.integer({ min: 0, max: 3000 }),
  );
  const range = fc.tuple(fc.constantFrom('loader', 'compile', 'step'), time, fc.integer({ min: 0, max: 9000 }));
  const fault = fc.tuple(
    time,
    fc.integer({ min: -5, max: 100 }),
    fc.integer({ min: 0, max: 500 }),
    fc.constantFrom(-1, 0, 1),
  );
  const anyTrace = fc.record({
    work: fc.array(work, { maxLength: 60 }),
    calls: fc.array(call, { maxLength: 30 }),
    ranges: fc.array(range, { maxLength: 20 }),
    faults: fc.array(fault, { maxLength: 30 }),
  });

  it('hold together whatever a trace holds', () => {
    fc.assert(
      fc.property(fc.array(anyTrace, { minLength: 1, maxLength: 3 }), (told) => {
        const traces = told.map((each, rank) => {
          const scene = new TestScene({ rank, ranks: 4 });
          scene.builder.device(0, { computeCapability: '9.0', sms: 132, clockHz: 1e9 });
          scene.builder.device(1, {});
          for (const { kind, from, takes, memory, blocks, called, ...rest } of each.work)
            scene.at(kind as 'kernel', from, from + takes, {
              ...rest,
              from: memory as 'pinned',
              shape: { grid: [blocks, 1, 1], registers: 32, staticShared: 0, dynamicShared: 0 },
              ...(called === undefined ? {} : { called: [called[0], called[0] + called[1]] as const }),
            } as Parameters<TestScene['at']>[3]);
          for (const [name, at, takes] of each.calls) {
            scene.now = at;
            scene.call(name, takes);
          }
          for (const [kind, from, takes] of each.ranges) scene.range(kind as 'step', kind, from, from + takes);
          for (const [at, takes, pages, device] of each.faults)
            scene.builder.fault(at * 1000, (at + takes) * 1000, pages, device, pages * 4096);
          return scene.finish();
        });
        const scenes = scenesOf(traces);
        for (const finding of findingsOf(scenes, { ...defaultTraceLimits, kernels: 0, repeats: 1, 'waste-share': 1 })) {
          expect(finding.message).not.toMatch(/NaN|Infinity|undefined|null/);
          expect(finding.marks.length).toBeLessThanOrEqual(500);
          expect(finding.measured.every(({ value }) => Number.isFinite(value))).toBe(true);
          if (finding.saving !== null) {
            expect(Number.isFinite(finding.saving.upperBoundNs)).toBe(true);
            expect(finding.saving.upperBoundNs).toBeGreaterThanOrEqual(0);
          }
          if (finding.kind === 'waste') expect(finding.quotes.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 200 },
    );
  });
});
