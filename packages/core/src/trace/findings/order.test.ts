import { describe, expect, it } from 'vitest';
import { judgedCauses } from '../testing-judged.ts';
import { TestScene } from '../testing-events.ts';

const gemm = 'void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128>(int)';
const fft = 'void regular_fft<256, EPT<8>>(int)';

interface Turns {
  /** Calls behind the first and behind the second launch of a turn. */
  readonly between?: string;
  readonly behind?: string;
  readonly names?: readonly [string, string];
  readonly streams?: readonly [number, number];
  /** Done behind the first launch of each turn. */
  readonly meanwhile?: (scene: TestScene, turn: number) => unknown;
  readonly scene?: TestScene;
}

function turns({ between, behind, names = [gemm, fft], streams = [13, 14], meanwhile, scene }: Turns): TestScene {
  const made = scene ?? new TestScene();
  for (let turn = 0; turn < 40; turn++) {
    made.kernel(50, { stream: streams[0], name: names[0] });
    meanwhile?.(made, turn);
    if (between !== undefined) made.call(between, 1);
    made.kernel(50, { stream: streams[1], name: names[1] });
    if (behind !== undefined) made.call(behind, 1);
  }
  return made;
}

const elsewhere = (name: string) => (scene: TestScene) => {
  scene.thread = 2;
  scene.call(name, 1);
  scene.thread = 1;
};

/** Rows of synchronisation, without the calls. */
const rows =
  (kind: 'stream-wait-event' | 'event', stream: number) =>
  (scene: TestScene): void => {
    const start = scene.now * 1000;
    const of = scene.builder.stream(scene.builder.device(0), 100, 1, stream);
    scene.builder.synchronisations.push({ kind, start, end: start + 500, stream: of, event: 3 });
    scene.pause(1);
  };

const cases: readonly (readonly [string, boolean, () => TestScene])[] = [
  ['streams of two libraries in turn, with nothing between', true, () => turns({})],
  ['the CPU waits behind each turn, and never within one', true, () => turns({ behind: 'cudaDeviceSynchronize' })],
  ['an event orders them', false, () => turns({ between: 'cudaStreamWaitEvent', behind: 'cudaStreamWaitEvent' })],
  ['an event orders one direction: the program knows of both', false, () => turns({ between: 'cudaStreamWaitEvent' })],
  [
    'the CPU waits in between',
    false,
    () => turns({ between: 'cudaStreamSynchronize', behind: 'cudaEventSynchronize' }),
  ],
  [
    'the CPU asks whether an event is over',
    false,
    () => turns({ between: 'cudaEventQuery', behind: 'cudaEventQuery' }),
  ],
  [
    'a blocking copy stands in between',
    false,
    () => turns({ between: 'cudaMemcpy_v3020', behind: 'cudaMemcpy_v3020' }),
  ],
  ['a stream waits for a value in memory', false, () => turns({ between: 'cuStreamWaitValue32_v2' })],
  [
    'another thread waits',
    false,
    () => turns({ meanwhile: elsewhere('cudaStreamSynchronize'), behind: 'cudaStreamSynchronize' }),
  ],
  ['another thread makes the stream wait', false, () => turns({ meanwhile: elsewhere('cudaStreamWaitEvent_v3020') })],
  [
    'waits for events stand among the rows of synchronisation alone',
    false,
    () => turns({ meanwhile: rows('stream-wait-event', 14) }),
  ],
  ['so do waits of the CPU', false, () => turns({ meanwhile: rows('event', 13), behind: 'cudaDeviceSynchronize' })],
  ['both streams are of one library', false, () => turns({ names: [gemm, `${gemm} 2`] })],
  ['kernels of the program itself', false, () => turns({ names: ['mine', 'yours'] })],
  ['one of them is the default stream, which orders blocking ones', false, () => turns({ streams: [7, 13] })],
  [
    'the default stream gets work in between, and the others are blocking',
    false,
    () => {
      const scene = new TestScene();
      for (let turn = 0; turn < 40; turn++) {
        scene.kernel(50, { stream: 13, name: gemm, after: scene.done() });
        scene.kernel(10, { stream: 7, after: scene.done() });
        scene.kernel(50, { stream: 14, name: fft, after: scene.done() });
        scene.kernel(10, { stream: 7, after: scene.done() });
      }
      return scene;
    },
  ],
  [
    'the default stream gets work in between, and the others do not wait for it',
    true,
    () => turns({ meanwhile: (scene) => scene.kernel(60, { stream: 7 }) }),
  ],
  [
    'a copy to pageable memory has ended when its call returns',
    false,
    () =>
      turns({
        meanwhile: (scene) => scene.copy(10, { stream: 13, direction: 'DtoH', from: 'device', to: 'pageable' }),
        behind: 'cudaDeviceSynchronize',
      }),
  ],
  [
    'every launch waits for its kernel',
    false,
    () => {
      const scene = new TestScene();
      for (let turn = 0; turn < 40; turn++)
        for (const [at, name] of [gemm, fft].entries()) {
          const from = (2 * turn + at) * 70;
          scene.at('kernel', from + 5, from + 55, { stream: 13 + at, name, called: [from, from + 60] });
        }
      return scene;
    },
  ],
  [
    'kernels of graphs have their order in the graph',
    false,
    () => {
      const scene = new TestScene();
      for (let turn = 0; turn < 40; turn++)
        for (const [at, name] of [gemm, fft].entries())
          scene.launch('kernel', 50, { stream: 13 + at, name, graphNode: 1 + at, call: 'cudaGraphLaunch_v10000' });
      return scene;
    },
  ],
  [
    'two threads feed a stream each',
    false,
    () => {
      const scene = new TestScene();
      for (let turn = 0; turn < 40; turn++)
        for (const [at, name] of [gemm, fft].entries()) {
          scene.thread = 1 + at;
          scene.kernel(50, { stream: 13 + at, name });
        }
      return scene;
    },
  ],
];

describe('order between streams', () => {
  it.each(cases)('%s', (_, suspected, scene) => {
    const { findings, verdict } = judgedCauses(scene().finish());
    const found = findings.filter(({ cause }) => cause === 'streams-without-order');
    expect(found.map(({ certainty }) => certainty)).toEqual(suspected ? ['possible'] : []);
    expect(verdict.unknown.some(({ missing }) => missing[0]?.includes('same buffers'))).toBe(suspected);
    expect(verdict.findings.some(({ cause }) => cause === 'streams-without-order')).toBe(suspected);
  });

  it('is a suspicion, which takes nothing from a healthy verdict', () => {
    const { verdict } = judgedCauses(turns({}).finish());
    expect(verdict).toMatchObject({ status: 'ok', certainty: null, layer: null });
    expect(verdict.findings).toMatchObject([
      { rule: 'application/streams-without-order', certainty: 'possible', owner: 'developer' },
    ]);
    expect(verdict.findings[0]!.evidence).toHaveLength(2);
    expect(verdict.findings[0]!.restsOn).toContain('cuda-stream-sync');
  });

  it('stands last where something else leads', () => {
    const slow = new TestScene();
    for (let step = 0; step < 200; step++) slow.kernel(5).toFixed();
    for (let step = 0; step < 200; step++) slow.pause(20).kernel(4).toFixed();
    const { verdict } = judgedCauses(turns({ scene: slow.pause(100) }).finish());
    expect(verdict).toMatchObject({ status: 'performance', cause: 'launch-bound-needs-cuda-graphs' });
    expect(verdict.findings.at(-1)).toMatchObject({ cause: 'streams-without-order', certainty: 'possible' });
  });

  it('does not lead where the trace cannot tell why the GPU idles', () => {
    const scene = turns({});
    for (let step = 0; step < 60; step++) scene.pause(1000).kernel(300).toFixed();
    const { verdict } = judgedCauses(scene.finish());
    expect(verdict).toMatchObject({ status: 'cannot-tell', cause: 'input-pipeline-bound' });
    expect(verdict.headline).toContain('idle');
    expect(verdict.findings).toMatchObject([{ cause: 'streams-without-order', certainty: 'possible' }]);
  });

  it('is cleared where events order the streams', () => {
    const { verdict } = judgedCauses(turns({ between: 'cudaStreamWaitEvent', behind: 'cudaStreamWaitEvent' }).finish());
    expect(verdict.status).toBe('ok');
    expect(verdict.cleared.some(({ because }) => because.includes('ordered by events'))).toBe(true);
  });
});
