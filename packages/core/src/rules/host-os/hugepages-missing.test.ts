import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hugepagesMissing } from './hugepages-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely on the fatal message', 'fault likely', 'EAL: FATAL: Cannot get hugepage information.'],
  ['fault likely on mmap', 'fault likely', 'mmap(MAP_HUGETLB, 1073741824) failed: Cannot allocate memory'],
  ['silent without it', 'silent', 'EAL: Detected 2 NUMA nodes'],
];

describe('host-os/hugepages-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hugepagesMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
