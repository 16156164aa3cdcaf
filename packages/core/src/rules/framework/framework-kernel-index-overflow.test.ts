import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { frameworkKernelIndexOverflow } from './framework-kernel-index-overflow.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by a shape and the kernel',
    'fault proved',
    'numel=4294967296\n========= Invalid __global__ write of size 4 bytes\n=========     at at::native::vectorized_elementwise_kernel+0x90',
  ],
  [
    'likely when the kernel refuses',
    'fault likely',
    'RuntimeError: nonzero is not supported for tensors with more than INT_MAX elements, file a support request',
  ],
  ['silent on a large tensor that works', 'silent', 'logits shape torch.Size([64, 4096, 131072])'],
];

describe('framework/framework-kernel-index-overflow', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(frameworkKernelIndexOverflow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
