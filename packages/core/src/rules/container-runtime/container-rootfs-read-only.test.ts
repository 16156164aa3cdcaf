import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerRootfsReadOnly } from './container-rootfs-read-only.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved for a folder',
    'fault proved',
    'nvidia-container-cli: mount error: directory creation failed: /run/x/rootfs/usr/lib/firmware/nvidia/550.90.07: Read-only file system: unknown',
  ],
  [
    'silent when the file exists',
    'silent',
    'nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/abc/merged/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1: file exists: unknown',
  ],
];

describe('container-runtime/container-rootfs-read-only', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(containerRootfsReadOnly, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
