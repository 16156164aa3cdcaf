import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { userspaceNewerThanKernelModule } from './userspace-newer-than-kernel-module.ts';

describe('driver/userspace-newer-than-kernel-module', () => {
  it.each([
    [
      'fault where an older compat libcuda comes first in the loader cache of a container',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ machine cat /sys/class/dmi/id/product_name /proc/device-tree/model; ls /.dockerenv /run/.containerenv\n|/.dockerenv\n@= exit=0 ms=0\n@ sys-module-version cat /sys/module/nvidia/version\n|580.95.05\n@= exit=0 ms=0\n@ mountinfo grep -E 'nvidia|cuda|/dev/shm|libcuda| / ' /proc/self/mountinfo\n|900 800 259:2 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n|901 800 259:2 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/local/cuda-12.4/compat/libcuda.so.1\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.1 -> libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.550.54.15\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault where LD_LIBRARY_PATH names a compat folder on a newer host',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|580.95.05\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cuda-12.4/compat\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.1 -> libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.550.54.15\n@= exit=0 ms=0\n@culprit-end sections=4 ms=10",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared where the compat libcuda is the newer one',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|535.104.05\n@= exit=0 ms=0\n@ proc-gpu-information cat /proc/driver/nvidia/gpus/0000:19:00.0/information\n|Model: 		 NVIDIA H100 80GB HBM3\n|IRQ:   		 186\n|GPU UUID: 	 GPU-00000000-0000-0000-0000-000000000000\n|Video BIOS: 	 96.00.99.00.01\n|Bus Type: 	 PCIe\n|DMA Size: 	 52 bits\n|DMA Mask: 	 0xfffffffffffff\n|Bus Location: 	 0000:19:00.0\n|Device Minor: 	 0\n|GPU Firmware: 	 535.104.05\n|GPU Excluded:	 No\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cuda-12.4/compat\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.1 -> libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.550.54.15\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'cleared' },
    ],
    [
      'silent where the libcuda of the driver is taken',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ modinfo modinfo -F version nvidia\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'silent' },
    ],
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
