import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { kmodUserspaceMismatchAfterUpgrade } from './kmod-userspace-mismatch-after-upgrade.ts';

describe('driver/kmod-userspace-mismatch-after-upgrade', () => {
  it.each([
    [
      'fault when the NVRM lines of the kernel log name both releases',
      "[10.1] NVRM: API mismatch: the client 'nvidia-smi' (pid 4711)\n[10.1] NVRM: has the version 550.127.05, but this kernel module has\n[10.1] NVRM: the version 535.183.01.  Please make sure that this",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when NVML says so and no release is printed',
      'Failed to initialize NVML: Driver/library version mismatch',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'silent when a restart was in vain',
      'Failed to initialize NVML: Driver/library version mismatch\n# rebooted, still the same\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024',
      { kind: 'silent' },
    ],
    [
      'cleared when NVML prints two numbers of the same release',
      'Failed to initialize NVML: Unknown Error\nNVML library version: 550.90\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Tue Jun  4 10:11:12 UTC 2024',
      { kind: 'cleared' },
    ],
    [
      'silent when a compat libcuda is in play',
      'CUDA error 804: forward compatibility was attempted on non supported HW\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024\n$ ls /usr/lib/x86_64-linux-gnu/libcuda.so.*\n/usr/lib/x86_64-linux-gnu/libcuda.so.550.90.07',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(kmodUserspaceMismatchAfterUpgrade, text)).toMatchObject(answer);
  });
});
