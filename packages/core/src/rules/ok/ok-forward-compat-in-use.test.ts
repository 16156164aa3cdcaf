import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okForwardCompatInUse } from './ok-forward-compat-in-use.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when it fails',
    'silent',
    '	libcuda.so.1 => /usr/local/cuda/compat/libcuda.so.1 (0x00007f0000000000)\nCUDA error: forward compatibility was attempted on non supported HW',
  ],
  [
    'silent without a compat library',
    'silent',
    '	libcuda.so.1 => /usr/lib/x86_64-linux-gnu/libcuda.so.1 (0x00007f0000000000)\nstep 12/400 loss 2.41 1.1 it/s',
  ],
];

describe('ok/ok-forward-compat-in-use', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okForwardCompatInUse, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
