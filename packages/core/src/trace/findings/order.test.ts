import { describe, expect, it } from 'vitest';
import { judgedCauses } from '../testing-judged.ts';
import { TestScene } from '../testing-events.ts';

const gemm = 'void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128>(int)';
const fft = 'void regular_fft<256, EPT<8>>(int)';

function turns(options: {
  readonly between?: string;
  readonly names?: readonly [string, string];
  readonly streams?: readonly [number, number];
}): TestScene {
  const [first, second] = options.names ?? [gemm, fft];
  const [one, two] = options.streams ?? [13, 14];
  const scene = new TestScene();
  for (let step = 0; step < 40; step++) {
    scene.kernel(50, { stream: one, name: first });
    if (options.between !== undefined) scene.call(options.between, 1);
    scene.kernel(50, { stream: two, name: second });
    if (options.between !== undefined) scene.call(options.between, 1);
  }
  return scene;
}

const cases: readonly (readonly [string, boolean, () => TestScene])[] = [
  ['streams of two libraries in turn, with nothing between', true, () => turns({})],
  ['an event orders them', false, () => turns({ between: 'cudaStreamWaitEvent' })],
  ['the CPU waits in between', false, () => turns({ between: 'cudaStreamSynchronize' })],
  ['both streams are of one library', false, () => turns({ names: [gemm, `${gemm} 2`] })],
  ['kernels of the program itself', false, () => turns({ names: ['mine', 'yours'] })],
  ['one of them is the default stream, which orders blocking ones', false, () => turns({ streams: [7, 13] })],
];

describe('order between streams', () => {
  it.each(cases)('%s', (_, suspected, scene) => {
    const { findings, verdict } = judgedCauses(scene().finish());
    expect(findings.some(({ cause }) => cause === 'streams-without-order')).toBe(suspected);
    expect(verdict.unknown.some(({ missing }) => missing[0]?.includes('same buffers'))).toBe(suspected);
  });

  it('is a suspicion, which takes nothing from a healthy verdict', () => {
    const { verdict, findings } = judgedCauses(turns({}).finish());
    expect(verdict.status).toBe('ok');
    expect(findings.find(({ cause }) => cause === 'streams-without-order')?.certainty).toBe('possible');
  });
});
