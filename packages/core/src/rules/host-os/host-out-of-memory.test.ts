import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostOutOfMemory } from './host-out-of-memory.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on the kernel log',
    'fault proved',
    'Out of memory: Killed process 24931 (pt_main_thread) total-vm:183640132kB, anon-rss:51250340kB, file-rss:71680kB, shmem-rss:2097160kB',
  ],
  [
    'fault likely on the old form',
    'fault likely',
    'Out of memory: Kill process 4711 (python) score 912 or sacrifice child',
  ],
  [
    'cleared on a control group',
    'cleared',
    'Memory cgroup out of memory: Killed process 3311 (python) total-vm:71234kB, anon-rss:61000kB, file-rss:1000kB, shmem-rss:0kB',
  ],
];

describe('host-os/host-out-of-memory', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostOutOfMemory, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
