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
  [
    'near miss: a program of the desktop, and the training went on',
    'fault possible',
    'kernel: Out of memory: Killed process 4411 (slack) total-vm:39230120kB, anon-rss:1210112kB, file-rss:0kB, shmem-rss:1200kB, UID:1000 pgtables:9100kB oom_score_adj:300\nEpoch 9/10\n195/195 [==============================] - 9s 46ms/step - loss: 0.2211\nEpoch 10/10\n195/195 [==============================] - 9s 46ms/step - loss: 0.2103',
  ],
];

describe('host-os/host-out-of-memory', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostOutOfMemory, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
