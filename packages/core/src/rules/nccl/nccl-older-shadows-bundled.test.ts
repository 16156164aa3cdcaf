import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclOlderShadowsBundled } from './nccl-older-shadows-bundled.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the loader gives torch an older libnccl',
    'fault likely',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/opt/nccl/lib\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nccl/lib/libnccl.so.2 -> libnccl.so.2.18.5\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nccl/lib/libnccl.so.2.18.5\n@= exit=0 ms=0\n@ python-packages ls /opt/venv/lib/python3.12/site-packages\n|# /opt/venv/lib/python3.12/site-packages\n|torch-2.7.0+cu128.dist-info\n|nvidia_cudnn_cu12-9.5.1.17.dist-info\n|nvidia_nccl_cu12-2.26.2.dist-info\n|nvidia_nvjitlink_cu12-12.8.61.dist-info\n|nvidia/cudnn/lib/libcudnn.so.9\n|nvidia/nccl/lib/libnccl.so.2\n|nvidia/nvjitlink/lib/libnvJitLink.so.12\n|torch/lib/libtorch_cuda.so\n|torch/lib/libtorch_global_deps.so\n|nvidia/cusparse/lib/libcusparse.so.12\n|nvidia_cublas_cu12-12.8.3.14.dist-info\n|nvidia/cublas/lib/libcublas.so.12\n|nvidia/cublas/lib/libcublasLt.so.12\n@= exit=0 ms=0\n@ library-tags readelf -d /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n|File: /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so\n| 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cublas/lib:$ORIGIN]\n|File: /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n| 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvjitlink/lib]\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
  ],
  [
    'possible where it is of the same minor release',
    'fault possible',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/opt/nccl/lib\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /opt/nccl/lib/libnccl.so.2 -> libnccl.so.2.26.1\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /opt/nccl/lib/libnccl.so.2.26.1\n@= exit=0 ms=0\n@ python-packages ls /opt/venv/lib/python3.12/site-packages\n|# /opt/venv/lib/python3.12/site-packages\n|torch-2.7.0+cu128.dist-info\n|nvidia_cudnn_cu12-9.5.1.17.dist-info\n|nvidia_nccl_cu12-2.26.2.dist-info\n|nvidia_nvjitlink_cu12-12.8.61.dist-info\n|nvidia/cudnn/lib/libcudnn.so.9\n|nvidia/nccl/lib/libnccl.so.2\n|nvidia/nvjitlink/lib/libnvJitLink.so.12\n|torch/lib/libtorch_cuda.so\n|torch/lib/libtorch_global_deps.so\n|nvidia/cusparse/lib/libcusparse.so.12\n|nvidia_cublas_cu12-12.8.3.14.dist-info\n|nvidia/cublas/lib/libcublas.so.12\n|nvidia/cublas/lib/libcublasLt.so.12\n@= exit=0 ms=0\n@ library-tags readelf -d /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n|File: /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so\n| 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cublas/lib:$ORIGIN]\n|File: /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n| 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvjitlink/lib]\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
  ],
  [
    'cleared where torch gets its own',
    'cleared',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cudnn/lib\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cudnn/lib/libcudnn.so.9 -> libcudnn.so.9.1.0\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cudnn/lib/libcudnn.so.9.1.0\n@= exit=0 ms=0\n@ python-packages ls /opt/venv/lib/python3.12/site-packages\n|# /opt/venv/lib/python3.12/site-packages\n|torch-2.7.0+cu128.dist-info\n|nvidia_cudnn_cu12-9.5.1.17.dist-info\n|nvidia_nccl_cu12-2.26.2.dist-info\n|nvidia_nvjitlink_cu12-12.8.61.dist-info\n|nvidia/cudnn/lib/libcudnn.so.9\n|nvidia/nccl/lib/libnccl.so.2\n|nvidia/nvjitlink/lib/libnvJitLink.so.12\n|torch/lib/libtorch_cuda.so\n|torch/lib/libtorch_global_deps.so\n|nvidia/cusparse/lib/libcusparse.so.12\n|nvidia_cublas_cu12-12.8.3.14.dist-info\n|nvidia/cublas/lib/libcublas.so.12\n|nvidia/cublas/lib/libcublasLt.so.12\n@= exit=0 ms=0\n@ library-tags readelf -d /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n|File: /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so\n| 0x000000000000001d (RPATH)            Library rpath: [$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cublas/lib:$ORIGIN]\n|File: /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n| 0x000000000000001d (RPATH)            Library rpath: [$ORIGIN/../../nvjitlink/lib]\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
  ],
  [
    'proved when NCCL states both releases',
    'fault proved',
    'NCCL WARN NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.27.3.',
  ],
  [
    'likely on the loader message alone',
    'fault likely',
    'ImportError: /x/torch/lib/libtorch_cuda.so: undefined symbol: ncclMemAlloc',
  ],
  ['silent on another missing name', 'silent', 'ImportError: x.so: undefined symbol: foo'],
];

describe('nccl/nccl-older-shadows-bundled', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclOlderShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'older comes first',
      'fault proved',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2 version=2.21.5 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2=2.26.2',
    ],
    [
      'near: newer comes first',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2 version=99.0.0 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2=2.26.2',
    ],
    [
      'near: its own',
      'cleared',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2 version=2.26.2 by=RPATH others=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2=2.21.5',
    ],
    [
      'near: no version is known',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2=2.26.2',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclOlderShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
