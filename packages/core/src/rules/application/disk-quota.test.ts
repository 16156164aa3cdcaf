import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { diskQuota } from './disk-quota.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a checkpoint cannot be written',
    'fault proved',
    "OSError: [Errno 28] No space left on device: '/data/run/ckpt-400/optimizer.pt'",
  ],
  ['fault when the quota is used up', 'fault proved', 'OSError: [Errno 122] Disk quota exceeded'],
  [
    'cleared when the message is about shared memory',
    'cleared',
    'NCCL WARN Error while creating shared memory segment /dev/shm/nccl-1 : No space left on device',
  ],
];

describe('application/disk-quota', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(diskQuota, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
