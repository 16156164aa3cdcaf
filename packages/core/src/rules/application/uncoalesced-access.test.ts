import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { uncoalescedAccess } from './uncoalesced-access.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when four of 32 bytes are used',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n          The memory access pattern for global loads from L1TEX might not be optimal. On average, only 4.0 of the 32 bytes transmitted per sector are utilized by each thread.',
  ],
  [
    'fault when the advice counts sectors',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    OPT   This kernel has uncoalesced global accesses resulting in a total of 7340032 excessive sectors (70% of the total 10485760 sectors).',
  ],
  [
    'silent on bank conflicts',
    'silent',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n          causes on average a 16.0 - way bank conflict across all 4096 shared store requests.',
  ],
];

describe('application/uncoalesced-access', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(uncoalescedAccess, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
