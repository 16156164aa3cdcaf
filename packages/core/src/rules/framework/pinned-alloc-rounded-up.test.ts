import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pinnedAllocRoundedUp } from './pinned-alloc-rounded-up.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['proved by two sizes on one line', 'fault proved', 'pinned buffer of 9.0 GiB requested, 16.0 GiB allocated'],
  [
    'likely when only the rounding is told of',
    'fault likely',
    'CachingHostAllocator rounds every request up to the next power of two',
  ],
  ['silent when the sizes agree', 'silent', 'pinned buffer of 16.0 GiB requested, 16.0 GiB allocated'],
];

describe('framework/pinned-alloc-rounded-up', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pinnedAllocRoundedUp, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
