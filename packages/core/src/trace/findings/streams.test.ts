import { describe, expect, it } from 'vitest';
import { judgedCauses } from '../testing-judged.ts';
import type { Trace } from '../model.ts';
import { TestScene } from '../testing-events.ts';

/** Two libraries that launch in turn, one of them on the default stream; kernels are 100 µs, launches run ahead. */
function turns(options: {
  readonly blocking: boolean;
  readonly events?: boolean;
  readonly first?: number;
  readonly second?: number;
  readonly created?: boolean;
  readonly launches?: boolean;
  readonly launch?: string;
}): TestScene {
  const scene = new TestScene();
  if (options.created === true) scene.call('cudaStreamCreate_v3020', 10);
  const call = options.launches === false ? null : (options.launch ?? 'cudaLaunchKernel');
  const first = options.first ?? 7;
  const second = options.second ?? 13;
  for (let step = 0; step < 40; step++) {
    if (options.events === true) scene.call('cudaStreamWaitEvent', 1);
    scene.kernel(100, { name: 'axpy', stream: first, call, after: options.blocking ? scene.done() : 0 });
    if (options.events === true) scene.call('cudaStreamWaitEvent', 1);
    scene.kernel(100, { name: 'gemm', stream: second, call, after: options.blocking ? scene.done() : 0 });
  }
  return scene;
}

/** Grids of the default stream and of another one, on an H100, whose kernels take turns. */
function filling(own: number, other: number): TestScene {
  const scene = new TestScene();
  scene.builder.device(0, { name: 'NVIDIA H100', computeCapability: '9.0', sms: 132 });
  const shape = (blocks: number): object => ({
    shape: { grid: [blocks, 1, 1], block: [256, 1, 1], registers: 32, staticShared: 0, dynamicShared: 0 },
  });
  for (let step = 0; step < 40; step++) {
    scene.kernel(100, { name: 'axpy', stream: 7, after: scene.done(), ...shape(own) });
    scene.kernel(100, { name: 'solve', stream: 13, after: scene.done(), ...shape(other) });
  }
  return scene.wait();
}

const cases: readonly (readonly [string, string, () => TestScene])[] = [
  [
    'a kernel of the default stream between those of another stream holds them up',
    'default-stream-serialisation',
    () => turns({ blocking: true }),
  ],
  [
    'a default stream holds several others up',
    'default-stream-serialisation',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 30; step++) {
        const free = scene.done(7);
        for (const stream of [13, 14, 15]) scene.kernel(60, { name: 'part', stream, after: free });
        scene.kernel(40, { name: 'fill', stream: 7, after: scene.done() });
      }
      return scene;
    },
  ],
  [
    'kernels of both sides that fill the GPU wait for room, whatever their stream',
    'no default-stream-serialisation',
    () => filling(4096, 2000),
  ],
  [
    'a few blocks of the default stream hold up a stream that could fill the GPU beside them',
    'default-stream-serialisation',
    () => filling(60, 2000),
  ],
  [
    'kernels of one wave and some blocks leave room beside their tail',
    'default-stream-serialisation',
    () => filling(132 * 8 + 40, 132 * 8 + 40),
  ],
  [
    'a stream that was created non-blocking does not wait for the default stream',
    'no default-stream-serialisation',
    () => {
      const scene = new TestScene();
      scene.builder.stream(scene.builder.device(0), 100, 1, 13, false);
      for (let step = 0; step < 40; step++)
        for (const stream of [7, 13]) scene.kernel(100, { stream, after: scene.done() });
      return scene.wait();
    },
  ],
  [
    'memsets of the default stream between the kernels of others hold them up',
    'default-stream-serialisation',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 40; step++)
        for (const stream of [13, 14]) {
          scene.kernel(100, { name: 'part', stream, after: scene.done() });
          scene.launch('memset', 2, { stream: 7, after: scene.done() });
        }
      return scene;
    },
  ],
  [
    'so do copies that are asked for in the default stream',
    'default-stream-serialisation',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 40; step++)
        for (const stream of [13, 14]) {
          scene.kernel(100, { name: 'part', stream, after: scene.done() });
          scene.copy(4, { stream: 7, bytes: 4096, after: scene.done() });
        }
      return scene;
    },
  ],
  [
    'memsets of the default stream beside kernels of others hold nobody up',
    'ok-streams-overlap',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 40; step++)
        for (const stream of [13, 14]) {
          scene.kernel(100, { name: 'part', stream });
          scene.launch('memset', 2, { stream: 7 });
        }
      return scene;
    },
  ],
  [
    'streams that overlap with stream 7 were created non-blocking',
    'ok-streams-overlap',
    () => turns({ blocking: false }),
  ],
  [
    'two streams of the program work side by side',
    'ok-streams-overlap',
    () => turns({ blocking: false, first: 13, second: 14 }),
  ],
  [
    'only the default stream is used, and it is full',
    'ok-single-stream-saturated',
    () => new TestScene().kernels(100, 50),
  ],
  [
    'one stream of a library is full',
    'ok-single-stream-saturated',
    () => new TestScene().kernels(100, 50, { stream: 21 }),
  ],
  ['streams that take turns by events are ordered on purpose', 'ok', () => turns({ blocking: true, events: true })],
  [
    'events may stand in the table of waits alone',
    'ok',
    () => {
      const scene = turns({ blocking: true });
      const streams = [7, 13].map((id) => scene.builder.stream(0, 100, 1, id));
      for (let step = 0; step < 40; step++)
        streams.forEach((stream, at) => {
          const start = (6 * step + 3 * at) * 1000 - 500;
          scene.builder.synchronisations.push({ kind: 'stream-wait-event', start, end: start, stream, event: 1 });
        });
      return scene;
    },
  ],
  [
    'without launches, streams that once run together are not held up',
    'no default-stream-serialisation',
    () => {
      const scene = turns({ blocking: true, launches: false });
      const end = scene.done();
      scene.at('kernel', end, end + 100, { stream: 7 }).at('kernel', end + 40, end + 140, { stream: 13 });
      return scene;
    },
  ],
  [
    'without launches, pauses between the turns speak for a CPU that launches late',
    'no default-stream-serialisation',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 40; step++)
        for (const [at, stream] of [7, 13].entries()) {
          const from = (2 * step + at) * 130;
          scene.at('kernel', from, from + 100, { stream });
        }
      return scene;
    },
  ],
  [
    'streams that take turns by waits of the CPU are not held up by the default stream',
    'no default-stream-serialisation',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 40; step++) {
        scene.kernel(100, { stream: 7 });
        scene.wait('cudaStreamSynchronize', 7);
        scene.kernel(100, { stream: 13 });
        scene.wait('cudaStreamSynchronize', 13);
      }
      return scene;
    },
  ],
  [
    'default streams of threads do not wait for each other',
    'ok-per-thread-default-stream',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 40; step++)
        for (const stream of [13, 14]) scene.kernel(100, { stream, call: 'cudaLaunchKernel_ptsz' });
      return scene;
    },
  ],
  [
    'NCCL on a stream of its own waits for the gradients',
    'no default-stream-serialisation',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 40; step++) {
        scene.kernel(200, { name: 'gemm', after: scene.done() });
        scene.kernel(30, { name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)', stream: 20, after: scene.done() });
      }
      return scene;
    },
  ],
];

/** A trace that takes turns, with what it holds of the calls around the launches. */
const evidence: readonly (readonly [string, string, () => Trace])[] = [
  [
    'likely: other calls were recorded, and none of an event',
    'likely',
    () => turns({ blocking: true }).wait().finish(),
  ],
  [
    'likely: the program creates streams that the default stream waits for',
    'likely',
    () => turns({ blocking: true, created: true }).finish(),
  ],
  [
    'likely: events stand in the trace, and none between these streams',
    'likely',
    () => turns({ blocking: true }).call('cudaEventRecord_v3020', 1).finish(),
  ],
  ['possible: calls that start no work were left out', 'possible', () => turns({ blocking: true }).finish()],
  ['possible: launches were not recorded', 'possible', () => turns({ blocking: true, launches: false }).finish()],
  [
    'possible: a profiler that records of the driver what launches',
    'possible',
    () => ({ ...turns({ blocking: true, launch: 'cuLaunchKernel' }).wait().finish(), format: 'kineto' as const }),
  ],
  [
    'possible: a time line of XLA has no events',
    'possible',
    () => ({ ...turns({ blocking: true }).wait().finish(), format: 'chrome' as const }),
  ],
];

describe('streams', () => {
  it.each(evidence)('are held up by the default stream, %s', (_, certainty, trace) => {
    const { findings, verdict } = judgedCauses(trace());
    expect(findings[0]).toMatchObject({ cause: 'default-stream-serialisation', certainty });
    expect(verdict).toMatchObject(
      certainty === 'likely'
        ? { status: 'performance', certainty }
        : { status: 'cannot-tell', cause: 'default-stream-serialisation', certainty: null },
    );
    expect(verdict.unknown.some(({ ask }) => ask.includes('--cuda-event-trace=true'))).toBe(certainty === 'possible');
  });

  it.each(cases)('%s', (_, expected, scene) => {
    const { causes, verdict } = judgedCauses(scene().finish());
    if (expected === 'ok') expect(verdict.status).toBe('ok');
    else if (expected.startsWith('no ')) expect(causes).not.toContain(expected.slice(3));
    else expect(verdict.cause).toBe(expected);
  });

  it('bounds the saving by the busiest stream', () => {
    const { numbers, findings } = judgedCauses(turns({ blocking: true }).finish());
    expect(findings[0]?.saving?.upperBoundNs).toBe((numbers.get('gpu.span_ns') as number) - 40 * 100_000);
    expect(numbers.get('serialised_ns')).toBeGreaterThan(3_000_000);
  });
});
