import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { kmodNotUpgradedPackageBroken } from './kmod-not-upgraded-package-broken.ts';

describe('driver/kmod-not-upgraded-package-broken', () => {
  it.each([
    [
      'fault when the module on disk is older than the library',
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90.07\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024\n$ modinfo -F version nvidia\n535.161.08',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when only somebody says that a restart did not help',
      'Failed to initialize NVML: Driver/library version mismatch\n# after a reboot: the same\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'cleared when the module on disk is the new one',
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90.07\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024\n$ modinfo -F version nvidia\n550.90.07',
      { kind: 'cleared' },
    ],
    [
      'unknown when the disk was not looked at',
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90.07\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024',
      { kind: 'unknown' },
    ],
    [
      'silent when both releases are one',
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024\nNVML library version: 535.161.08',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(kmodNotUpgradedPackageBroken, text)).toMatchObject(answer);
  });
});
