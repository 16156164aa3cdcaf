import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { kmodUserspaceMismatchAfterUpgrade } from './kmod-userspace-mismatch-after-upgrade.ts';

describe('driver/kmod-userspace-mismatch-after-upgrade', () => {
  it.each([
    [
      'fault with the jobs that hold the GPUs',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.86.15\n@= exit=0 ms=0\n@ modinfo modinfo -F version nvidia\n|570.133.20\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.133.20\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.133.20\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.133.20\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.133.20\n@= exit=0 ms=0\n@ maps-of-all grep -E 'libcuda|libnvidia-ml|libcudart|libcudnn|libnccl' /proc/*/maps\n|/proc/4711/maps:7f21a4000000-7f21a4181000 r-xp 00000000 103:02 7341288                    /usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15 (deleted)\n@= exit=0 ms=1\n@ holder-processes ps -o pid,user,comm,cgroup\n|4711 python3 uid=1000 cgroup=0::/system.slice/slurmstepd.scope/job_991/step_0/user/task_0\n|812 nvidia-persiste uid=0 cgroup=0::/system.slice/nvidia-persistenced.service\n@= exit=0 ms=1\n@culprit-end sections=7 ms=10",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent where the libraries of the module only lose',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ modinfo modinfo -F version nvidia\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/opt/nv/lib\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nv/lib/libcuda.so.1 -> libcuda.so.580.65.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nv/lib/libnvidia-ml.so.1 -> libnvidia-ml.so.580.65.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nv/lib/libcuda.so.580.65.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nv/lib/libnvidia-ml.so.580.65.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'silent' },
    ],
    [
      'cleared where the image brings the newer library beside those of the host',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ machine cat /sys/class/dmi/id/product_name /proc/device-tree/model; ls /.dockerenv /run/.containerenv\n|/.dockerenv\n@= exit=0 ms=0\n@ sys-module-version cat /sys/module/nvidia/version\n|535.104.05\n@= exit=0 ms=0\n@ mountinfo grep -E 'nvidia|cuda|/dev/shm|libcuda| / ' /proc/self/mountinfo\n|900 800 259:2 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n|901 800 259:2 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05 ro,nosuid,nodev,relatime master:1 - ext4 /dev/nvme0n1p2 rw\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.550.54.15\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
      { kind: 'cleared' },
    ],
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

  it('names what must be drained and stopped first', () => {
    const text = [
      '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no',
      '@ sys-module-version cat /sys/module/nvidia/version',
      '|570.86.15',
      '@= exit=0 ms=0',
      '@ holder-processes ps -o pid,user,comm,cgroup',
      '|4711 python3 uid=1000 cgroup=0::/system.slice/slurmstepd.scope/job_991/step_0/user/task_0',
      '|812 nvidia-persiste uid=0 cgroup=0::/system.slice/nvidia-persistenced.service',
      '@= exit=0 ms=0',
      '@culprit-end sections=2 ms=10',
      'NVML library version: 570.133',
      'Failed to initialize NVML: Driver/library version mismatch',
    ].join('\n');
    const { remedies } = verdictFor(text).findings[0]!;
    const words = remedies.map((each) => `${each.do} ${each.command ?? ''}`).join('\n');
    for (const part of [
      'python3 (pid 4711, uid 1000, job 991)',
      'systemctl stop nvidia-persistenced',
      'rmmod nvidia_drm',
    ])
      expect(words).toContain(part);
    expect(remedies.map((each) => each.actor).slice(0, 2)).toEqual(['cluster-admin', 'node-admin']);
  });
});
