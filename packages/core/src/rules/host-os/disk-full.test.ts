import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { diskFull } from './disk-full.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with the path',
    'fault proved',
    "OSError: [Errno 28] No space left on device: '/home/user/.triton/cache/abc'",
  ],
  [
    'fault likely without a path',
    'fault likely',
    'RuntimeError: PytorchStreamWriter failed writing file data/4: file write failed: No space left on device',
  ],
  [
    'silent without it',
    'silent',
    '$ df -h /\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sda2       100G  100G     0 100% /',
  ],
];

describe('host-os/disk-full', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(diskFull, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
