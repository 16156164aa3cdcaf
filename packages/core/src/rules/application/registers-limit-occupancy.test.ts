import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { registersLimitOccupancy } from './registers-limit-occupancy.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['silent without a profile', 'silent', 'hello'],
  [
    'cleared at fair occupancy',
    'cleared',
    '    Block Limit SM                        block           32\n    Block Limit Registers                 block            6\n    Block Limit Warps                     block            8\n    Theoretical Occupancy                     %        75.00',
  ],
];

describe('application/registers-limit-occupancy', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(registersLimitOccupancy, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
