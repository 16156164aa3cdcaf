import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { streamsWithoutOrder } from './streams-without-order.ts';

interface Turns {
  readonly names: readonly [string, string];
  /** Calls between the two launches of a turn, and behind them. */
  readonly between?: string;
  readonly behind?: string;
  readonly launch?: string;
}

/** A trace of PyTorch's profiler: one thread feeds streams 13 and 14 in turn. */
function traceOf({ names, between, behind, launch = 'cudaLaunchKernel' }: Turns): string {
  const events: object[] = [];
  let [now, correlation] = [100, 1];
  const call = (name: string): void => {
    const cat = name.startsWith('cuda') ? 'cuda_runtime' : 'cuda_driver';
    events.push({ ph: 'X', cat, name, pid: 100, tid: 100, ts: now, dur: 3, args: { correlation: correlation++ } });
    now += 4;
  };
  for (let turn = 0; turn < 20; turn++) {
    for (const [at, name] of names.entries()) {
      const args = { device: 0, stream: 13 + at, correlation };
      call(launch);
      events.push({ ph: 'X', cat: 'kernel', name, pid: 0, tid: 13 + at, ts: now + 2, dur: 60, args });
      if (at === 0 && between !== undefined) call(between);
    }
    if (behind !== undefined) call(behind);
    now += 80;
  }
  call('cudaDeviceSynchronize');
  return JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, numSms: 108 }], traceEvents: events });
}

const gemm = 'void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128>(int)';
const fft = 'void regular_fft<256u, EPT<8u>>(int)';
const convolution = 'void cudnn::cnn::conv2d_grouped_direct_kernel<float>(int)';
const reduce = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)';

const cases: readonly (readonly [string, string, Turns])[] = [
  ['possible where a product and a transform take turns', 'fault possible', { names: [gemm, fft] }],
  ['possible where a convolution and an exchange take turns', 'fault possible', { names: [convolution, reduce] }],
  [
    'possible where the CPU waits at the end of each step only',
    'fault possible',
    { names: [gemm, fft], behind: 'cudaStreamSynchronize' },
  ],
  [
    'cleared where the second stream waits for an event',
    'cleared',
    { names: [gemm, fft], between: 'cudaStreamWaitEvent', behind: 'cudaStreamWaitEvent' },
  ],
  ['silent where an event orders one direction', 'silent', { names: [gemm, fft], between: 'cudaStreamWaitEvent' }],
  ['silent where both are of one library', 'silent', { names: [gemm, `${gemm} 2`] }],
  ['silent where the calls of events are not recorded', 'silent', { names: [gemm, fft], launch: 'cuLaunchKernel' }],
];

describe('application/streams-without-order', () => {
  it.each(cases)('%s', (_, expected, turns) => {
    const answer = outcomeOf(streamsWithoutOrder, traceOf(turns));
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
