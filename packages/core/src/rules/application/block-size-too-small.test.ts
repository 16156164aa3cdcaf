import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { blockSizeTooSmall } from './block-size-too-small.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault proved on lanes used', 'fault proved', '    Threads per warp used                   1 / 32'],
  [
    'fault proved on a grid smaller than the GPU',
    'fault proved',
    '    Block Size                                            256\n    Grid Size                                               8\n    # SMs                         SM         132',
  ],
  ['cleared for full blocks', 'cleared', '    Block Size                                            128'],
  ['silent without a profile', 'silent', 'hello'],
];

describe('application/block-size-too-small', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(blockSizeTooSmall, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
