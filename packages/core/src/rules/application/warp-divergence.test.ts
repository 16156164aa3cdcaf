import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { warpDivergence } from './warp-divergence.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when the statistics show few threads',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    Avg. Active Threads Per Warp                                 7.9',
  ],
  [
    'fault when the advice says so',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n          This kernel achieves an average of 9.1 threads being active per cycle.',
  ],
  [
    'cleared when the block is smaller than a warp',
    'cleared',
    '  f(int) (64, 1, 1)x(8, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    Avg. Active Threads Per Warp                                 8.0',
  ],
];

describe('application/warp-divergence', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(warpDivergence, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
