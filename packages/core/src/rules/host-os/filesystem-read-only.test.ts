import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { filesystemReadOnly } from './filesystem-read-only.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault proved on the remount', 'fault proved', '[88231.115] EXT4-fs (nvme0n1p2): Remounting filesystem read-only'],
  [
    'fault proved with the disk error',
    'fault proved',
    "OSError: [Errno 30] Read-only file system: '/data/ckpt'\n[88231.112] Buffer I/O error on device sdb1, logical block 812",
  ],
  ['only possible alone', 'fault possible', "OSError: [Errno 30] Read-only file system: '/data/ckpt'"],
];

describe('host-os/filesystem-read-only', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(filesystemReadOnly, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
