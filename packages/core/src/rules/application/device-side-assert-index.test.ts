import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { deviceSideAssertIndex } from './device-side-assert-index.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the kernel names its assertion',
    'fault proved',
    '/pytorch/aten/src/ATen/native/cuda/Loss.cu:240: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed.',
  ],
  [
    'fault likely when only the runtime speaks',
    'fault likely',
    'torch.AcceleratorError: CUDA error: device-side assert triggered',
  ],
  [
    'fault for another framework',
    'fault likely',
    'cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorAssert: device-side assert triggered',
  ],
  ['silent on an assertion of Python', 'silent', 'AssertionError: Torch is here'],
];

describe('application/device-side-assert-index', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(deviceSideAssertIndex, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
