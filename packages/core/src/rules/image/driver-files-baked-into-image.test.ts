import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverFilesBakedIntoImage } from './driver-files-baked-into-image.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where a process takes a libcuda of the image',
    'fault proved',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ machine cat /sys/class/dmi/id/product_name /proc/device-tree/model; ls /.dockerenv /run/.containerenv\n|/.dockerenv\n@= exit=0 ms=0\n@ sys-module-version cat /sys/module/nvidia/version\n|535.104.05\n@= exit=0 ms=0\n@ mountinfo grep -E 'nvidia|cuda|/dev/shm|libcuda| / ' /proc/self/mountinfo\n|900 800 259:2 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n|901 800 259:2 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.550.54.15\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
  ],
  [
    'cleared where it takes the compat one, and the driver is the host’s',
    'cleared',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ machine cat /sys/class/dmi/id/product_name /proc/device-tree/model; ls /.dockerenv /run/.containerenv\n|/.dockerenv\n@= exit=0 ms=0\n@ sys-module-version cat /sys/module/nvidia/version\n|580.95.05\n@= exit=0 ms=0\n@ mountinfo grep -E 'nvidia|cuda|/dev/shm|libcuda| / ' /proc/self/mountinfo\n|900 800 259:2 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n|901 800 259:2 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/local/cuda-12.4/compat/libcuda.so.1\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.1 -> libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.550.54.15\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
  ],
  [
    'fault proved when a library of another release is in the container',
    'fault proved',
    '$ docker exec app nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\n$ docker exec app ls /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.470.57.02 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15\n/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.470.57.02\n/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15\nhost$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024',
  ],
  [
    'fault proved when a package of the driver is in the image',
    'fault proved',
    '$ docker exec app nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\n$ docker exec app dpkg -l libnvidia-compute-535\nii  libnvidia-compute-535:amd64  535.183.01-0ubuntu0.22.04.1  amd64  NVIDIA libcompute package',
  ],
  [
    'silent on a mismatch of the host',
    'silent',
    'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90',
  ],
];

describe('image/driver-files-baked-into-image', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverFilesBakedIntoImage, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'libcuda',
      'fault proved',
      'image libcuda kind=baked version=550.54.15 path=/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15 bytes=30000000',
    ],
    [
      'NVML',
      'fault proved',
      'image host-file kind=driver-library version=550.54.15 path=/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15 bytes=2000000',
    ],
    [
      'the tool alone is only possible',
      'fault possible',
      'image host-file kind=driver-tool path=/usr/bin/nvidia-smi bytes=1000000',
    ],
    [
      'near: tools of the container toolkit',
      'silent',
      'image host-file kind=container-toolkit path=/usr/bin/nvidia-ctk bytes=9000000',
    ],
    [
      'near: the image of a driver',
      'cleared',
      'image entrypoint words="nvidia-driver init" compat=none ngcScript=false\nimage libcuda kind=baked version=580.95.05 path=/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05 bytes=90000000',
    ],
    [
      'near: a Jetson base',
      'fault possible',
      'image libcuda kind=baked path=/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1 bytes=20000000',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(driverFilesBakedIntoImage, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
