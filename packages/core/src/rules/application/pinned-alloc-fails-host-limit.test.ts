import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pinnedAllocFailsHostLimit } from './pinned-alloc-fails-host-limit.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the call that failed',
    'fault proved',
    'RuntimeError: cudaHostRegister failed for 13.77 GiB: out of memory',
  ],
  ['proved by the kernel log', 'fault proved', 'NVRM: failed to allocate page table'],
  ['silent on a plain failure of a malloc', 'silent', 'CUDA error: out of memory (cudaMalloc)'],
];

describe('application/pinned-alloc-fails-host-limit', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pinnedAllocFailsHostLimit, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
