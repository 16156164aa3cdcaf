import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cgroupDeviceAccessLost } from './cgroup-device-access-lost.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when only mknod is left',
    'fault proved',
    '$ docker exec trainer cat /sys/fs/cgroup/devices/devices.list\nc 195:* m',
  ],
  [
    'fault proved when a node that is there may not be opened',
    'fault proved',
    '$ docker exec trainer ls /dev/nvidia0 /dev/nvidiactl\n/dev/nvidia0\n/dev/nvidiactl\n$ docker exec trainer strace -e openat nvidia-smi\nopenat(AT_FDCWD, "/dev/nvidiactl", O_RDWR) = -1 EPERM (Operation not permitted)',
  ],
  [
    'fault likely when NVML fails in a container',
    'fault likely',
    '$ docker exec trainer nvidia-smi\nFailed to initialize NVML: Unknown Error',
  ],
  [
    'cleared when the nodes are not there',
    'cleared',
    "$ docker exec trainer nvidia-smi\nFailed to initialize NVML: Unknown Error\n$ docker exec trainer ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory",
  ],
  ['silent on a driver mismatch', 'silent', 'Failed to initialize NVML: Driver/library version mismatch'],
];

describe('container-runtime/cgroup-device-access-lost', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cgroupDeviceAccessLost, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
