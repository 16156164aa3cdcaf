import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okInfoNotCollected } from './ok-info-not-collected.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for CUDA is available, the versions are not',
    'cleared',
    'PyTorch version: 1.7.1\nIs CUDA available: Yes\nCUDA runtime version: Could not collect\nNvidia driver version: Could not collect',
  ],
  [
    'silent when CUDA is not available',
    'silent',
    'PyTorch version: 1.7.1\nIs CUDA available: False\nNvidia driver version: Could not collect',
  ],
];

describe('ok/ok-info-not-collected', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okInfoNotCollected, text).kind).toBe(expected);
  });
});
