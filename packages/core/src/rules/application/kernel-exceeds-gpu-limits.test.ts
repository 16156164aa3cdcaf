import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { kernelExceedsGpuLimits } from './kernel-exceeds-gpu-limits.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when registers times threads do not fit',
    'fault likely',
    'CUDA error: too many resources requested for launch',
  ],
  [
    'fault when the message has both numbers',
    'fault proved',
    'triton.runtime.errors.OutOfResources: out of resource: registers, Required: 98304, Hardware limit: 65536. Reducing block sizes or `num_stages` may help.',
  ],
  [
    'silent when a tuner skips a candidate',
    'silent',
    'W1115 torch/_inductor/select_algorithm.py:1469] [16/384] out of resource: shared memory, Required: 122880, Hardware limit: 101376. Reducing block sizes or `num_stages` may help.',
  ],
];

describe('application/kernel-exceeds-gpu-limits', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(kernelExceedsGpuLimits, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
