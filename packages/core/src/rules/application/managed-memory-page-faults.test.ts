import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { managedMemoryPageFaults } from './managed-memory-page-faults.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in the words of nvprof',
    'fault proved',
    '   16384         -         -         -           -  512.3ms  Gpu page fault groups',
  ],
  ['silent without managed memory', 'silent', 'cudaMalloc 12 calls'],
];

describe('application/managed-memory-page-faults', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(managedMemoryPageFaults, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
