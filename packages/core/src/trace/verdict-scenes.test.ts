import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { Trace } from './model.ts';
import { judgedCauses } from './testing-judged.ts';
import { TestScene } from './testing-events.ts';
import { traceVerdict } from './verdict.ts';

/** A scene of some steps. */
function steps(
  count: number,
  step: (scene: TestScene, at: number) => void,
  scene: TestScene = new TestScene(),
): TestScene {
  for (let at = 0; at < count; at++) step(scene, at);
  return scene;
}

/** A blocking copy: the CPU goes on when it is done. */
function blockingCopy(
  scene: TestScene,
  takes: number,
  bytes: number,
  direction: 'HtoD' | 'DtoH' = 'HtoD',
  stream = 7,
): void {
  const begins = scene.now;
  const from = Math.max(begins + 6, scene.done(stream));
  const memory =
    direction === 'HtoD'
      ? { from: 'pageable' as const, to: 'device' as const }
      : { from: 'device' as const, to: 'pageable' as const };
  scene.at('copy', from, from + takes, {
    ...memory,
    direction,
    bytes,
    stream,
    call: 'cudaMemcpy',
    called: [begins, from + takes + 4],
  });
  scene.now = from + takes + 4;
}

const MB = 1 << 20;

const wastes: readonly (readonly [string, string, () => TestScene | readonly Trace[]])[] = [
  [
    'many-small-copies',
    'parameters are copied one by one before each kernel',
    () =>
      steps(100, (scene) => {
        for (let each = 0; each < 20; each++) scene.copy(2, { bytes: 256, from: 'pinned' });
        scene.kernel(20);
      }),
  ],
  [
    'copies-not-overlapped',
    'pinned copies and kernels on one stream',
    () =>
      steps(40, (scene) => {
        scene.copy(600, { bytes: 30 * MB, from: 'pinned', stream: 13 });
        scene.kernel(600, { stream: 13 });
      }),
  ],
  [
    'pageable-copies',
    'a pageable copy before each kernel',
    () =>
      steps(40, (scene) => {
        blockingCopy(scene, 1500, 8 * MB);
        scene.kernel(600);
      }),
  ],
  [
    'alloc-in-loop',
    'a buffer is allocated and freed in each step',
    () =>
      steps(60, (scene) => {
        scene.call('cudaMalloc', 120).kernel(150);
        scene.call('cudaFree', Math.max(100, scene.done() + 80 - scene.now));
      }),
  ],
  [
    'managed-memory-page-faults',
    'pages move while kernels run',
    () =>
      steps(40, (scene, at) => {
        const end = scene.kernel(2000);
        for (let page = 0; page < 20; page++) {
          const from = end - 1900 + page * 90;
          scene.at('copy', from, from + 40, {
            direction: 'UVM_HtoD',
            from: 'managed',
            to: 'device',
            bytes: 65536,
            cause: 2,
            name: '[CUDA Unified Memory memcpy HtoD]',
          });
          scene.builder.fault(from * 1000, (from + 40) * 1000, 16, 0, 4096 * (page + 20 * at));
        }
        scene.wait();
        for (let page = 0; page < 20; page++) {
          scene.at('copy', scene.now + page * 40, scene.now + page * 40 + 30, {
            direction: 'UVM_DtoH',
            from: 'device',
            to: 'managed',
            bytes: 65536,
            cause: 2,
            name: '[CUDA Unified Memory memcpy DtoH]',
          });
        }
        scene.pause(850);
      }),
  ],
  [
    'nccl-exposed-communication',
    'gradients are exchanged after the backward pass',
    () =>
      steps(30, (scene) => {
        for (let each = 0; each < 10; each++) scene.kernel(200, { name: 'sm90_xmma_gemm_bf16bf16' });
        scene.call('cudaStreamWaitEvent', 1);
        scene.kernel(1500, { name: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL', stream: 20, after: scene.done() });
        scene.call('cudaStreamWaitEvent', 1);
        scene.kernel(50, { name: 'adam', after: scene.done() });
      }),
  ],
  [
    'nccl-straggler-rank',
    'one rank computes longer',
    () =>
      [500, 900].map((compute, rank) =>
        steps(
          20,
          (scene, at) => {
            const from = at * 1200 + 100;
            scene.now = at * 1200;
            for (let each = 0; each < 5; each++)
              scene.at('kernel', from + (each * compute) / 5, from + ((each + 1) * compute) / 5, {
                name: 'sm90_xmma_gemm_bf16bf16',
                called: [from - 60 + each * 5, from - 57 + each * 5],
              });
            scene.at('kernel', from + compute + 5, from + 1000, {
              name: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL',
              stream: 20,
              called: [from - 20, from - 15],
            });
          },
          new TestScene({ rank, ranks: 2 }),
        ).finish(),
      ),
  ],
  [
    'input-pipeline-bound',
    'the loader is waited for in each step',
    () =>
      steps(30, (scene) => {
        const from = scene.now;
        scene
          .pause(6000)
          .range('loader', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', from, scene.now);
        for (let each = 0; each < 20; each++) scene.kernel(150);
        scene.wait();
      }),
  ],
  [
    'tensor-cores-idle',
    'float32 products on the ordinary units',
    () => {
      const scene = new TestScene();
      scene.builder.device(0, { name: 'NVIDIA H100 80GB HBM3', computeCapability: '9.0', sms: 132 });
      return steps(
        200,
        (each) => each.kernel(500, { name: 'ampere_sgemm_128x128_nn', shape: { grid: [512, 4, 1] } }),
        scene,
      );
    },
  ],
  [
    'wave-quantisation-tail',
    'grids of one block more than a wave',
    () => {
      const scene = new TestScene();
      scene.builder.device(0, { name: 'NVIDIA H100 80GB HBM3', computeCapability: '9.0', sms: 132 });
      const shape = {
        grid: [265, 1, 1] as const,
        block: [1024, 1, 1] as const,
        registers: 32,
        staticShared: 0,
        dynamicShared: 0,
      };
      return steps(200, (each) => each.kernel(400, { name: 'stencil', shape }), scene);
    },
  ],
];

const well: readonly (readonly [string, string, () => TestScene | readonly Trace[]])[] = [
  [
    'ok-copies-pinned-overlapped',
    'the next batch is copied while this one is computed',
    () =>
      steps(40, (scene) => {
        scene.copy(400, { bytes: 20 * MB, from: 'pinned', stream: 13 });
        scene.kernel(800, { stream: 14 });
      }),
  ],
  [
    'ok-pageable-negligible',
    'a few pageable copies beside long kernels',
    () =>
      steps(40, (scene, at) => {
        if (at % 8 === 0) blockingCopy(scene, 10, 4096, 'HtoD', 13);
        for (let each = 0; each < 5; each++) scene.kernel(500);
      }),
  ],
  [
    'ok-peer-copies',
    'GPUs pass buffers on under kernels',
    () =>
      steps(40, (scene) => {
        scene.kernel(600, { stream: 13 });
        scene.copy(200, { direction: 'PtoP', from: 'device', to: 'device', bytes: 50 * MB, stream: 14 });
      }),
  ],
  [
    'ok-allocated-once',
    'buffers are allocated before the loop',
    () => {
      const scene = new TestScene();
      for (let each = 0; each < 30; each++) scene.call('cudaMalloc', 80);
      steps(100, (each) => each.kernel(300), scene).wait();
      for (let each = 0; each < 30; each++) scene.call('cudaFree', 60);
      return scene;
    },
  ],
  [
    'ok-managed-prefetched',
    'managed memory is fetched ahead',
    () =>
      steps(30, (scene) => {
        scene.call('cudaMemPrefetchAsync_v8000', 5);
        const from = Math.max(scene.now, scene.done(13) - 400);
        scene.at('copy', from, from + 300, {
          direction: 'UVM_HtoD',
          from: 'managed',
          to: 'device',
          bytes: 8 * MB,
          cause: 3,
          stream: 13,
          name: '[CUDA Unified Memory memcpy HtoD]',
        });
        scene.kernel(600, { stream: 13 });
      }),
  ],
  [
    'ok-nccl-overlapped',
    'gradients are exchanged during the backward pass',
    () =>
      steps(30, (scene) => {
        const end = scene.kernel(2000, { name: 'sm90_xmma_gemm_bf16bf16' });
        scene.kernel(900, { name: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL', stream: 20, after: end - 1500 });
      }),
  ],
  [
    'ok-first-batch-slow',
    'only the first batch is waited for',
    () =>
      steps(30, (scene, at) => {
        const from = scene.now;
        scene.pause(at === 0 ? 1 : 20);
        if (at === 1) scene.pause(40_000);
        scene.range('loader', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', from, scene.now);
        for (let each = 0; each < 10; each++) scene.kernel(300);
        scene.wait();
      }),
  ],
  [
    'ok-persistent-kernel',
    'one kernel stays on the GPU',
    () => {
      const scene = new TestScene();
      scene.builder.device(0, { name: 'NVIDIA H100 80GB HBM3', computeCapability: '9.0', sms: 132 });
      scene.kernel(900_000, { name: 'persistent_server', shape: { grid: [132, 1, 1] } });
      scene.wait();
      return scene;
    },
  ],
  [
    'ok-loader-keeps-up',
    'batches are there when they are asked for',
    () =>
      steps(30, (scene) => {
        const from = scene.now;
        scene
          .pause(60)
          .range('loader', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', from, scene.now);
        for (let each = 0; each < 20; each++) scene.kernel(200);
        if (scene.done() - scene.now > 9000) scene.now = scene.done() - 5000;
      }),
  ],
  [
    'ok-healthy-training',
    'a training with a loader, copies and an exchange, all hidden',
    () =>
      steps(30, (scene) => {
        const begins = scene.now;
        scene.pause(20).range('loader', 'enumerate(DataLoader)#next', begins, scene.now);
        scene.copy(300, { bytes: 10 * MB, from: 'pinned', stream: 13 });
        let end = 0;
        for (let each = 0; each < 10; each++) end = scene.kernel(300, { name: 'sm90_xmma_gemm_bf16bf16' });
        scene.kernel(800, { name: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL', stream: 20, after: end - 1000 });
        scene.wait('cudaStreamSynchronize', 7);
        scene.range('step', 'ProfilerStep#1', begins, scene.now);
      }),
  ],
];

const tracesOf = (made: TestScene | readonly Trace[]): readonly Trace[] =>
  made instanceof TestScene ? [made.finish()] : made;

describe('the cause that leads', () => {
  it.each(wastes)('is %s where %s', (cause, _, scene) => {
    const { verdict, causes } = judgedCauses(...tracesOf(scene()));
    expect(`${verdict.status} ${verdict.cause ?? ''} (${causes.join()})`).toContain(`performance ${cause}`);
  });

  it.each(well)('is %s where %s', (cause, _, scene) => {
    const { verdict, causes } = judgedCauses(...tracesOf(scene()));
    expect(`${verdict.status} ${verdict.cause ?? ''} (${causes.join()})`).toBe(`ok ${cause} ()`);
  });
});

describe('a trace that was cut off', () => {
  const part = (scene: TestScene): Trace => ({ ...scene.finish(), partial: true });
  const busy = (): TestScene =>
    steps(200, (scene) => {
      scene.kernel(1000);
    });
  const starved = (): TestScene =>
    steps(100, (scene) => {
      for (let each = 0; each < 20; each++) scene.copy(2, { bytes: 256, from: 'pinned' });
      scene.kernel(20);
    });

  it('is not called healthy: only what can be read is', () => {
    const { verdict } = traceVerdict([part(busy())], defaultKnowledge);
    expect(traceVerdict([busy().finish()], defaultKnowledge).verdict.status).toBe('ok');
    expect(verdict).toMatchObject({ status: 'cannot-tell', cause: 'trace-unreadable', cleared: [] });
    expect(verdict.headline).toContain('the GPU is busy');
    expect(verdict.unknown[0]?.ask).toContain('again');
  });

  it('proves no waste', () => {
    const whole = traceVerdict([starved().finish()], defaultKnowledge).verdict;
    const cut = traceVerdict([part(starved())], defaultKnowledge).verdict;
    expect(whole).toMatchObject({ cause: 'many-small-copies', certainty: 'proved' });
    expect(cut).toMatchObject({ cause: 'many-small-copies', certainty: 'likely' });
  });
});
