import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okSameMajorCcWarning } from './ok-same-major-cc-warning.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for 12.1 beside a build up to 12.0',
    'cleared',
    'Found GPU0 NVIDIA GB10 which is of cuda capability 12.1. Minimum and Maximum cuda capability supported by this version of PyTorch is (8.0) - (12.0)\nINFO: Application startup complete.',
  ],
  [
    'silent for another major',
    'silent',
    'Found GPU0 NVIDIA B200 which is of cuda capability 10.0. Minimum and Maximum cuda capability supported by this version of PyTorch is (5.0) - (9.0)',
  ],
];

describe('ok/ok-same-major-cc-warning', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okSameMajorCcWarning, text).kind).toBe(expected);
  });
});
