import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclShmTooSmall } from './nccl-shm-too-small.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in the words of newer releases',
    'fault proved',
    'n1:71:71 [0] misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-Ab12 to 33030532 bytes, error: No space left on device (28)',
  ],
  [
    'fault proved when df shows 64 MiB',
    'fault proved',
    "RuntimeError: DataLoader worker (pid 3012) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.\n$ df -h /dev/shm\nFilesystem      Size  Used Avail Use% Mounted on\nshm              64M   64M     0 100% /dev/shm",
  ],
  ['silent on a full disk alone', 'silent', 'OSError: [Errno 28] No space left on device: /data/ckpt'],
];

describe('container-runtime/nccl-shm-too-small', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclShmTooSmall, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
