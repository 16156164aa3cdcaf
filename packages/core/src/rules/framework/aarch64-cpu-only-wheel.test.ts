import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { aarch64CpuOnlyWheel } from './aarch64-cpu-only-wheel.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved by torch’s own message',
    'fault proved',
    '$ uname -m\naarch64\nAssertionError: Torch not compiled with CUDA enabled',
  ],
  ['silent on x86_64', 'silent', '$ uname -m\nx86_64\nAssertionError: Torch not compiled with CUDA enabled'],
];

describe('framework/aarch64-cpu-only-wheel', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(aarch64CpuOnlyWheel, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
