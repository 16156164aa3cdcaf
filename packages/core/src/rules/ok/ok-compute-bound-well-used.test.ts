import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okComputeBoundWellUsed } from './ok-compute-bound-well-used.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared at 88 percent',
    'cleared',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    Compute (SM) Throughput                   %        88.0',
  ],
  [
    'cleared with the older name',
    'cleared',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    SM Throughput                             %        90.0',
  ],
  [
    'silent when warps diverge',
    'silent',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    Compute (SM) Throughput                   %        90.0\n    Avg. Active Threads Per Warp                                 8.0',
  ],
];

describe('ok/ok-compute-bound-well-used', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okComputeBoundWellUsed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
