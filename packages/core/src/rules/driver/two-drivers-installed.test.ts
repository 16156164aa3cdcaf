import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { twoDriversInstalled } from './two-drivers-installed.ts';

describe('driver/two-drivers-installed', () => {
  it.each([
    [
      'fault where LD_LIBRARY_PATH leads to a newer driver than the loaded one',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ modinfo modinfo -F version nvidia\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/opt/nv/lib\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nv/lib/libcuda.so.1 -> libcuda.so.580.65.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nv/lib/libnvidia-ml.so.1 -> libnvidia-ml.so.580.65.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nv/lib/libcuda.so.580.65.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nv/lib/libnvidia-ml.so.580.65.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent where the loader takes the libraries of the module',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ modinfo modinfo -F version nvidia\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'silent' },
    ],
    [
      'fault when packages of two branches are installed',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nii  nvidia-driver-470  470.256.02-0ubuntu1  amd64  driver\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when the second package is transitional, of the same release',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nii  nvidia-driver-510  525.85.05-0ubuntu1  amd64  transitional\nii  nvidia-driver-525  525.85.05-0ubuntu1  amd64  driver",
      { kind: 'cleared' },
    ],
    [
      'cleared when the other package is removed and only its settings are left',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nrc  nvidia-driver-470  470.256.02-0ubuntu1  amd64  driver\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver",
      { kind: 'cleared' },
    ],
    [
      'possible when nothing fails',
      '$ dpkg -l | grep nvidia\nii  nvidia-driver-470  470.256.02-0ubuntu1  amd64  driver\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver',
      { kind: 'fault', certainty: 'possible' },
    ],
    [
      'fault when the log of a .run installer stands beside packages',
      "Failed to initialize NVML: Driver/library version mismatch\n$ dpkg -l | grep nvidia-driver\nii  nvidia-driver-535  535.183.01-0ubuntu0.22.04.1  amd64  NVIDIA driver metapackage\n$ head -3 /var/log/nvidia-installer.log\nnvidia-installer log file '/var/log/nvidia-installer.log'\ninstaller version: 550.54.14",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent with the log of the .run installer alone',
      "Failed to initialize NVML: Driver/library version mismatch\nnvidia-installer log file '/var/log/nvidia-installer.log'\ninstaller version: 550.54.14",
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(twoDriversInstalled, text)).toMatchObject(answer);
  });
});
