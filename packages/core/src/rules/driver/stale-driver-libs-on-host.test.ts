import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { staleDriverLibsOnHost } from './stale-driver-libs-on-host.ts';

describe('driver/stale-driver-libs-on-host', () => {
  it.each([
    [
      'fault when two releases lie on the path and NVML complains',
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 470.256\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.06  Tue Jun  4 10:11:12 UTC 2024\n$ ls /usr/lib/x86_64-linux-gnu/libcuda.so.*\n/usr/lib/x86_64-linux-gnu/libcuda.so.470.256.02\n/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.06',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when only the older library is known',
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 470.256\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.06  Tue Jun  4 10:11:12 UTC 2024',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'cleared when every library is of the driver',
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.06  Tue Jun  4 10:11:12 UTC 2024\n$ ls /usr/lib/x86_64-linux-gnu/libcuda.so.*\n/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.06',
      { kind: 'cleared' },
    ],
    [
      'unknown when nothing but the message is there',
      'Failed to initialize NVML: Driver/library version mismatch',
      { kind: 'unknown' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(staleDriverLibsOnHost, text)).toMatchObject(answer);
  });
});
