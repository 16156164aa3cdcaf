import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okNothingWrong } from './ok-nothing-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for a table of idle GPUs',
    'cleared',
    '$ nvidia-smi -L\nGPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000000)',
  ],
  [
    'cleared for a list of GPUs',
    'cleared',
    '$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000000)',
  ],
  [
    'silent when a message of the stack failed',
    'silent',
    '$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000000)\nRuntimeError: CUDA error: an illegal memory access was encountered',
  ],
  [
    'silent when an unknown line speaks of a failure',
    'silent',
    '$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000000)\nzorp: fatal: the flux pump failed',
  ],
  ['silent on prose', 'silent', 'it was a sunny day'],
];

describe('ok/ok-nothing-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okNothingWrong, text).kind).toBe(expected);
  });
});
