import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pinnedMemoryHostOom } from './pinned-memory-host-oom.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the kernel and the pinning',
    'fault proved',
    'page-locked so far: 180 GB\nOut of memory: Killed process 7 (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB',
  ],
  ['silent without a kill', 'silent', 'DataLoader(data, pin_memory=True)'],
];

describe('application/pinned-memory-host-oom', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pinnedMemoryHostOom, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
