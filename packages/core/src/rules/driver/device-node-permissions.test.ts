import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { deviceNodePermissions } from './device-node-permissions.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on a refused open',
    'fault likely',
    'openat(AT_FDCWD, "/dev/nvidiactl", O_RDWR|O_CLOEXEC) = -1 EACCES (Permission denied)',
  ],
  [
    'fault likely when CUDA finds nothing and the nodes are shut',
    'fault likely',
    'RuntimeError: No CUDA GPUs are available\n$ ls -l /dev/nvidia0\ncrw------- 1 root root 195,   0 Nov 18 09:12 /dev/nvidia0',
  ],
  [
    'silent when a setting was refused',
    'silent',
    'Unable to set persistence mode for GPU 00000000:3B:00.0: Insufficient Permissions',
  ],
  [
    'silent when nothing failed',
    'silent',
    '$ ls -l /dev/nvidia0\ncrw-rw---- 1 root video 195,   0 Nov 18 09:12 /dev/nvidia0',
  ],
  [
    'the memory manager of a Jetson',
    'fault likely',
    'NvRmMemInitNvmap failed with Permission denied\n549: Memory Manager Not supported',
  ],
  [
    'the same with its node',
    'fault proved',
    'NvRmMemInitNvmap failed with Permission denied\n$ ls -l /dev/nvmap\ncrw-rw---- 1 root video 10, 60 Jul 27 12:20 /dev/nvmap',
  ],
];

describe('driver/device-node-permissions', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(deviceNodePermissions, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
