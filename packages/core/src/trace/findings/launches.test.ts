import { describe, expect, it } from 'vitest';
import { judgedCauses } from '../testing-judged.ts';
import { TestScene } from '../testing-events.ts';
import { scenesOf } from './scene.ts';

const launching = (takes: number, kernel: number, count = 400): TestScene => {
  const scene = new TestScene();
  scene.launchTakes = takes;
  return scene.kernels(count, kernel);
};

const cases: readonly (readonly [string, string, () => TestScene])[] = [
  ['kernels of 3 µs that take 8 µs to launch', 'launch-bound-needs-cuda-graphs', () => launching(8, 3)],
  [
    'kernels of 10 µs with 25 µs of framework between them',
    'launch-bound-needs-cuda-graphs',
    () => {
      const scene = new TestScene();
      for (let index = 0; index < 300; index++) scene.pause(25).kernel(10);
      return scene;
    },
  ],
  [
    'a few waits for each step do not hide that launches are late',
    'launch-bound-needs-cuda-graphs',
    () => {
      const scene = new TestScene();
      scene.launchTakes = 9;
      for (let step = 0; step < 20; step++) scene.kernels(40, 4).wait();
      return scene;
    },
  ],
  ['short kernels that are launched faster than they run', 'ok-small-kernels-queued', () => launching(3, 8, 1000)],
  [
    'short kernels in a full queue, with what the GPU takes between them',
    'ok-small-kernels-queued',
    () => {
      const scene = new TestScene();
      for (let index = 0; index < 600; index++) scene.kernel(6, { after: scene.done() + 1.5 });
      return scene;
    },
  ],
  ['long kernels', 'ok-single-stream-saturated', () => launching(8, 500)],
  [
    'graphs of short kernels, whole',
    'ok-cuda-graphs-used',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 50; step++) scene.launch('graph', 300);
      return scene;
    },
  ],
  [
    'graphs of short kernels, node by node',
    'ok-cuda-graphs-used',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 50; step++) {
        const from = scene.done() + 1;
        scene.launch('kernel', 3, { call: 'cudaGraphLaunch', graphNode: 1, after: from });
        for (let node = 1; node < 40; node++)
          scene.at('kernel', from + node * 3.5, from + node * 3.5 + 3, { graphNode: node + 1 });
        scene.now = Math.max(scene.now, from + 80);
        scene.kernel(1, { after: from + 140 });
      }
      return scene;
    },
  ],
  [
    'a wait behind each graph is one for a step',
    'ok-cuda-graphs-used',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 60; step++) {
        scene.launch('graph', 60);
        scene.wait('cudaStreamSynchronize', 7);
      }
      return scene;
    },
  ],
  [
    'waits after every short kernel are another cause',
    'sync-after-each-kernel',
    () => {
      const scene = new TestScene();
      for (let index = 0; index < 300; index++) {
        scene.kernel(15);
        scene.wait();
      }
      return scene;
    },
  ],
  [
    'launches that return when their kernel has ended',
    'sync-after-each-kernel',
    () => {
      const scene = new TestScene();
      for (let index = 0; index < 200; index++) {
        const from = index * 40;
        scene.at('kernel', from + 6, from + 26, { called: [from, from + 29] });
      }
      return scene;
    },
  ],
  [
    'waits after every kernel on one stream',
    'sync-after-each-kernel',
    () => {
      const scene = new TestScene();
      for (let index = 0; index < 100; index++) {
        scene.kernel(40, { stream: 13 });
        scene.wait('cudaStreamSynchronize', 13).pause(8);
      }
      return scene;
    },
  ],
  [
    'one wait for each step',
    'ok-sync-once-per-step',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 20; step++) scene.kernels(40, 60).wait();
      return scene;
    },
  ],
  [
    'a long start before the first kernels is no habit',
    'ok-single-stream-saturated',
    () => {
      const scene = new TestScene();
      scene.kernel(100);
      scene.pause(90_000);
      return scene.kernels(200, 100);
    },
  ],
  [
    'the GPU waits for something that is not recorded',
    'cannot-tell',
    () => {
      const scene = new TestScene();
      for (let step = 0; step < 30; step++) scene.kernels(3, 500).wait().pause(4000);
      return scene;
    },
  ],
];

describe('launches and waits', () => {
  it.each(cases)('%s', (_, expected, scene) => {
    const { verdict } = judgedCauses(scene().finish());
    expect(verdict.status === 'cannot-tell' ? 'cannot-tell' : verdict.cause).toBe(expected);
  });

  it('says what late launches cost, at most the idle time', () => {
    const { findings, numbers } = judgedCauses(launching(8, 3).finish());
    expect(findings[0]?.saving?.upperBoundNs).toBe(numbers.get('gpu.idle_ns'));
    expect(numbers.get('saving.upper_bound_ns')).toBe(numbers.get('gpu.idle_ns'));
    expect(findings[0]?.marks.length).toBeGreaterThan(100);
  });

  it('suspects late launches where no call is recorded', () => {
    const scene = new TestScene();
    for (let index = 0; index < 300; index++) scene.at('kernel', index * 12, index * 12 + 4);
    scene.builder.notRecorded.add('calls');
    const { verdict } = judgedCauses(scene.finish());
    expect(verdict).toMatchObject({ cause: 'launch-bound-needs-cuda-graphs', certainty: 'likely' });
  });
});

describe('idle time of the GPU', () => {
  it.each(['cuda', 'hip'])('is that of a capture where %s calls are recorded into a graph', (api) => {
    const scene = new TestScene();
    for (let size = 0; size < 25; size++) {
      scene.kernels(4, 5).wait();
      scene.call(`${api}StreamBeginCapture`, 2);
      for (let node = 0; node < 30; node++) scene.call(`${api}LaunchKernel`, 2).pause(40);
      scene.call(`${api}StreamEndCapture`, 2).call(`${api}GraphInstantiate`, 50);
    }
    const trace = scene.finish();
    const { totals } = scenesOf([trace])[0]!.gapCauses;
    expect(totals.capture.ns).toBeGreaterThan(5 * (totals.launch.ns + totals.sync.ns));
    expect(judgedCauses(trace).causes).toEqual([]);
  });

  it('is not that of a launch that returned long ago', () => {
    const scene = new TestScene();
    for (let at = 0; at < 20; at++) {
      const from = at * 10_000;
      scene.at('kernel', from, from + 1000, { called: [from - 8990, from - 8980] });
    }
    const { totals } = scenesOf([scene.finish()])[0]!.gapCauses;
    expect(totals.launch.ns).toBeLessThan(totals.queued.ns / 100);
  });

  it('of a long pause is no habit of late launches', () => {
    const scene = new TestScene();
    scene.launchTakes = 5;
    scene.kernels(200, 100);
    // The program looks for its best kernels once, and asks for devices and attributes all the while.
    for (let at = 0; at < 900; at++) scene.call('cudaPointerGetAttributes', 2).pause(100);
    scene.kernels(200, 100);
    expect(judgedCauses(scene.finish()).causes).toEqual([]);
  });
});
