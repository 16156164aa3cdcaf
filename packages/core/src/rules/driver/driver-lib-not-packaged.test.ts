import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverLibNotPackaged } from './driver-lib-not-packaged.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when NVML is in a package of its own',
    'fault proved',
    'nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory\n$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n$ apt-cache policy libnvidia-ml1\nlibnvidia-ml1:\n  Installed: (none)',
  ],
  [
    'silent on a missing libcuda without a driver',
    'silent',
    'ImportError: libcuda.so.1: cannot open shared object file: No such file or directory',
  ],
];

describe('driver/driver-lib-not-packaged', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverLibNotPackaged, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
