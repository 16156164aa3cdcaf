import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { blockLimitCapsOccupancy } from './block-limit-caps-occupancy.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when blocks are the tightest limit',
    'fault proved',
    '    Block Limit SM                     block           16\n    Block Limit Warps                  block           32\n    Block Limit Shared Mem             block           21\n    Theoretical Occupancy                  %           50',
  ],
  [
    'cleared at full occupancy',
    'cleared',
    '    Block Limit SM                     block           16\n    Block Limit Warps                  block           16\n    Theoretical Occupancy                  %          100',
  ],
];

describe('application/block-limit-caps-occupancy', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(blockLimitCapsOccupancy, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
