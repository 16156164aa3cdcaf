import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pinnedRegistrationCountLimit } from './pinned-registration-count-limit.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by a count at the limit',
    'fault proved',
    'vm.max_map_count = 65530\nregistered regions: 65520\nCUDA error: cudaHostRegister returned cudaErrorMemoryAllocation: out of memory',
  ],
  ['silent on an allocation', 'silent', 'RuntimeError: cudaHostAlloc failed: out of memory'],
];

describe('application/pinned-registration-count-limit', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pinnedRegistrationCountLimit, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
