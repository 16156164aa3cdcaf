import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { staleDriverLibsOnHost } from './stale-driver-libs-on-host.ts';

describe('driver/stale-driver-libs-on-host', () => {
  it.each([
    [
      'fault where LD_LIBRARY_PATH leads to an older driver',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ modinfo modinfo -F version nvidia\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/opt/nv/lib\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nv/lib/libcuda.so.1 -> libcuda.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nv/lib/libnvidia-ml.so.1 -> libnvidia-ml.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nv/lib/libcuda.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nv/lib/libnvidia-ml.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared where the loader takes the libraries of the module',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ modinfo modinfo -F version nvidia\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'cleared' },
    ],
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
