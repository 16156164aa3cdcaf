import { describe, expect, it } from 'vitest';
import type { Trace } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { judgedCauses } from '../testing-judged.ts';

const mib = 1 << 20;

function a100(): TestScene {
  const scene = new TestScene();
  scene.builder.device(0, { name: 'NVIDIA A100-SXM4-80GB', computeCapability: '8.0', sms: 108 });
  return scene;
}

/** Steps of a batch that is copied in the stream that computes, and kernels. */
function batches(steps: number, copy: Parameters<TestScene['copy']>[1], takes: number): TestScene {
  const scene = a100();
  for (let step = 0; step < steps; step++) {
    scene.copy(takes, copy);
    scene.kernels(30, 150);
    scene.copy(2, { direction: 'DtoH', from: 'device', to: 'pageable', bytes: 4 });
    scene.wait('cudaStreamSynchronize');
  }
  return scene;
}

/** Steps of a training whose loader is told by ranges. */
function loading(steps: number, loads: (step: number) => number, isNamed = true): TestScene {
  const scene = a100();
  for (let step = 0; step < steps; step++) {
    const from = scene.now;
    scene.pause(loads(step));
    if (isNamed) scene.range('loader', 'enumerate(DataLoader)#__next__', from, scene.now);
    scene.copy(100, { bytes: mib });
    scene.kernels(40, 200);
    scene.wait();
    scene.range('step', `ProfilerStep#${step}`, from, scene.now);
  }
  return scene;
}

/** Requests with pauses in which the program stands in a call. */
function requests(call: string | null): TestScene {
  const scene = a100();
  for (let request = 0; request < 9; request++) {
    const from = scene.now;
    scene.pause(60_000);
    if (call !== null) scene.range('wait', call, from + 20, scene.now - 20);
    scene.copy(30, { bytes: 600_000 });
    scene.kernels(25, 120);
    scene.copy(10, { direction: 'DtoH', from: 'device', to: 'pinned', bytes: 65_536 });
    scene.wait('cudaStreamSynchronize');
  }
  return scene;
}

/** A loop in which a number is read back, or an array, behind each kernel. */
function readingBack(bytes: number, inRow = 1): TestScene {
  const scene = a100();
  for (let at = 0; at < 150; at++) {
    scene.kernel(30);
    for (let copy = 0; copy < inRow; copy++) {
      scene.copy(2, { direction: 'DtoH', from: 'device', to: 'pageable', bytes });
      scene.wait('cudaStreamSynchronize');
      scene.pause(25);
    }
  }
  return scene;
}

const causes: readonly (readonly [string, string | null, () => Trace])[] = [
  [
    'a large pageable batch is copied before each of four steps',
    'pageable-copies-synchronous',
    () => batches(4, { from: 'pageable', bytes: 150 * mib }, 22_000).finish(),
  ],
  [
    'a large pinned batch is copied in the stream that computes, in each of four steps',
    'copies-not-overlapped',
    () => batches(4, { bytes: 400 * mib }, 16_000).finish(),
  ],
  ['the same batches are small', null, () => batches(4, { bytes: 2 * mib }, 80).finish()],
  [
    'the columns of a table are copied one by one in each of three steps',
    'many-small-copies',
    () => {
      const scene = a100();
      for (let step = 0; step < 3; step++) {
        for (let column = 0; column < 150; column++) {
          scene.copy(2, { bytes: 2048 });
          scene.pause(8);
        }
        scene.kernels(20, 25);
        scene.wait();
      }
      return scene.finish();
    },
  ],
  [
    'a matrix comes back row by row behind three kernels',
    'many-small-copies',
    () => {
      const scene = a100();
      for (let product = 0; product < 3; product++) {
        scene.kernel(800);
        for (let row = 0; row < 500; row++)
          scene.copy(2, { direction: 'DtoH', from: 'device', to: 'pinned', bytes: 2048 });
        scene.wait();
      }
      return scene.finish();
    },
  ],
  [
    'a few numbers come back behind three kernels',
    null,
    () => {
      const scene = a100();
      for (let product = 0; product < 3; product++) {
        scene.kernel(8000);
        for (let row = 0; row < 40; row++)
          scene.copy(2, { direction: 'DtoH', from: 'device', to: 'pinned', bytes: 2048 });
        scene.wait();
      }
      return scene.finish();
    },
  ],
  ['a number is read back behind each kernel', 'sync-after-each-kernel', () => readingBack(4).finish()],
  ['several arrays are read back behind each kernel', 'many-small-copies', () => readingBack(4096, 3).finish()],
  ['each of three steps begins with a load', 'input-pipeline-bound', () => loading(3, () => 60_000).finish()],
  ['each of two steps begins with a load', 'input-pipeline-bound', () => loading(2, () => 60_000).finish()],
  ['only the first step loads for long', null, () => loading(3, (step) => (step === 0 ? 90_000 : 100)).finish()],
  ['only the second step loads for long', null, () => loading(3, (step) => (step === 1 ? 20_000 : 100)).finish()],
  [
    'requests are waited for in epoll',
    null,
    () => requests('<built-in method poll of select.epoll object at 0x7f1c2c0b9cf0>').finish(),
  ],
  ['requests are waited for in epoll_wait', null, () => requests('epoll_wait').finish()],
  ['batches are waited for in a call that files make too', 'input-pipeline-bound', () => requests('read').finish()],
  ['batches are waited for, and nothing says how', 'input-pipeline-bound', () => requests(null).finish()],
];

describe('what a trace of few steps or few kernels shows', () => {
  it.each(causes)('%s: %s', (_, cause, make) => {
    const answer = judgedCauses(make());
    if (cause === null) expect(answer.causes).toEqual([]);
    else expect(answer.verdict).toMatchObject({ status: 'performance', cause });
  });

  it('is a server that waits for requests', () => {
    expect(judgedCauses(requests('epoll_wait').finish()).verdict).toMatchObject({
      status: 'ok',
      cause: 'ok-bursty-inference',
    });
  });

  it.each([
    ['one upload that takes most of the time', 1, 'cannot-tell'],
    ['an upload that takes little of it', 0.01, 'ok'],
  ] as const)('is no healthy GPU behind %s', (_, share, status) => {
    const scene = a100();
    scene.copy(40_000 * share, { bytes: 900 * mib * share });
    scene.kernels(100, 200);
    expect(judgedCauses(scene.finish()).verdict.status).toBe(status);
  });

  it.each([
    ['two pauses alike that take most of the time', [70_000, 75_000], 'cannot-tell'],
    ['one such pause', [90_000], 'ok'],
  ] as const)('may leave open why the GPU stands still in %s', (_, waits, status) => {
    const scene = a100();
    for (const wait of waits) {
      scene.kernels(40, 200);
      scene.wait().pause(wait);
    }
    scene.kernels(40, 200);
    expect(judgedCauses(scene.finish()).verdict.status).toBe(status);
  });
});
