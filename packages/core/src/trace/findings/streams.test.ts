import { describe, expect, it } from 'vitest';
import { judgedCauses } from '../testing-judged.ts';
import { TestScene } from '../testing-events.ts';

/** Two libraries that launch in turn, one of them on the default stream; kernels are 100 µs, launches run ahead. */
function turns(options: {
  readonly blocking: boolean;
  readonly events?: boolean;
  readonly first?: number;
  readonly second?: number;
}): TestScene {
  const scene = new TestScene();
  const first = options.first ?? 7;
  const second = options.second ?? 13;
  for (let step = 0; step < 40; step++) {
    if (options.events === true) scene.call('cudaStreamWaitEvent', 1);
    scene.kernel(100, { name: 'axpy', stream: first, after: options.blocking ? scene.done() : 0 });
    if (options.events === true) scene.call('cudaStreamWaitEvent', 1);
    scene.kernel(100, { name: 'gemm', stream: second, after: options.blocking ? scene.done() : 0 });
  }
  return scene;
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

describe('streams', () => {
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
