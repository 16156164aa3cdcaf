import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { userspaceNewerThanKernelModule } from './userspace-newer-than-kernel-module.ts';

describe('driver/userspace-newer-than-kernel-module', () => {
  it.each([
    [
      'fault when the releases differ',
      'CUDA error 803: system has unsupported display driver / cuda driver combination\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  460.91.03  Tue Jun  4 10:11:12 UTC 2024\n$ ls /opt/compat/libcuda.so.*\n/opt/compat/libcuda.so.520.61.05',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the message stands alone',
      'CUDA error 803: system has unsupported display driver / cuda driver combination',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'silent when NVML says the same',
      'CUDA error 803: system has unsupported display driver / cuda driver combination\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90.07\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Jun  4 10:11:12 UTC 2024',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(userspaceNewerThanKernelModule, text)).toMatchObject(answer);
  });
});
