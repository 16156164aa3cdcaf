import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { forwardCompatUnsupportedGpu } from './forward-compat-unsupported-gpu.ts';

describe('driver/forward-compat-unsupported-gpu', () => {
  it.each([
    [
      'fault where a process takes a newer compat libcuda on a GeForce',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|535.104.05\n@= exit=0 ms=0\n@ proc-gpu-information cat /proc/driver/nvidia/gpus/0000:19:00.0/information\n|Model: 		 NVIDIA GeForce RTX 4090\n|IRQ:   		 186\n|GPU UUID: 	 GPU-00000000-0000-0000-0000-000000000000\n|Video BIOS: 	 96.00.99.00.01\n|Bus Type: 	 PCIe\n|DMA Size: 	 52 bits\n|DMA Mask: 	 0xfffffffffffff\n|Bus Location: 	 0000:19:00.0\n|Device Minor: 	 0\n|GPU Firmware: 	 535.104.05\n|GPU Excluded:	 No\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cuda-12.4/compat\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.1 -> libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.550.54.15\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared where it does so on a data-center GPU',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|535.104.05\n@= exit=0 ms=0\n@ proc-gpu-information cat /proc/driver/nvidia/gpus/0000:19:00.0/information\n|Model: 		 NVIDIA H100 80GB HBM3\n|IRQ:   		 186\n|GPU UUID: 	 GPU-00000000-0000-0000-0000-000000000000\n|Video BIOS: 	 96.00.99.00.01\n|Bus Type: 	 PCIe\n|DMA Size: 	 52 bits\n|DMA Mask: 	 0xfffffffffffff\n|Bus Location: 	 0000:19:00.0\n|Device Minor: 	 0\n|GPU Firmware: 	 535.104.05\n|GPU Excluded:	 No\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cuda-12.4/compat\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.535.104.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.1 -> libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.550.54.15\n@= exit=0 ms=0\n@culprit-end sections=5 ms=10",
      { kind: 'cleared' },
    ],
    [
      'silent where the compat libcuda is older than the driver',
      "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|580.95.05\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cuda-12.4/compat\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.580.95.05\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.1 -> libcuda.so.550.54.15\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/compat/libcuda.so.550.54.15\n@= exit=0 ms=0\n@culprit-end sections=4 ms=10",
      { kind: 'silent' },
    ],
    [
      'fault on a GeForce',
      'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW\nGPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-11111111-2222-3333-4444-555555555555)',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the GPU is not known',
      'CUDA error 804: forward compatibility was attempted on non supported HW',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'cleared on a data-center GPU',
      'CUDA error 804: forward compatibility was attempted on non supported HW\nGPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-555555555555)',
      { kind: 'cleared' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(forwardCompatUnsupportedGpu, text)).toMatchObject(answer);
  });
});
