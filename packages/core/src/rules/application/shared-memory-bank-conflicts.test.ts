import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { sharedMemoryBankConflicts } from './shared-memory-bank-conflicts.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when most wavefronts are conflicts',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n          causes on average a 8.0 - way bank conflict across all 4096 shared load requests.\n          This results in 28672 bank conflicts,  which represent 87.50% of the overall 32768 wavefronts for shared loads.',
  ],
  [
    'fault when only the width is known',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n          causes on average a 16.0 - way bank conflict across all 4096 shared store requests.',
  ],
  [
    'cleared when hardly any access conflicts, whatever the width',
    'cleared',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n          causes on average a 4.0 - way bank conflict across all 64 shared load requests.\n          This results in 192 bank conflicts,  which represent 0.05% of the overall 384000 wavefronts for shared loads.',
  ],
  [
    'silent on scattered global reads',
    'silent',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    OPT   This kernel has uncoalesced global accesses resulting in a total of 29360128 excessive sectors (88% of the total\n          33554432 sectors).',
  ],
];

describe('application/shared-memory-bank-conflicts', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(sharedMemoryBankConflicts, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
