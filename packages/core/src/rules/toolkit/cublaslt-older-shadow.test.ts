import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cublasltOlderShadow } from './cublaslt-older-shadow.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the loader gives torch an older libcublasLt',
    'fault likely',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cuda-12.4/lib64\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cuda-12.4/lib64/libcublasLt.so.12 -> libcublasLt.so.12.4.5.8\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cuda-12.4/lib64/libcublasLt.so.12.4.5.8\n@= exit=0 ms=0\n@ python-packages ls /opt/venv/lib/python3.12/site-packages\n|# /opt/venv/lib/python3.12/site-packages\n|torch-2.7.0+cu128.dist-info\n|nvidia_cudnn_cu12-9.5.1.17.dist-info\n|nvidia_nccl_cu12-2.26.2.dist-info\n|nvidia_nvjitlink_cu12-12.8.61.dist-info\n|nvidia/cudnn/lib/libcudnn.so.9\n|nvidia/nccl/lib/libnccl.so.2\n|nvidia/nvjitlink/lib/libnvJitLink.so.12\n|torch/lib/libtorch_cuda.so\n|torch/lib/libtorch_global_deps.so\n|nvidia/cusparse/lib/libcusparse.so.12\n|nvidia_cublas_cu12-12.8.3.14.dist-info\n|nvidia/cublas/lib/libcublas.so.12\n|nvidia/cublas/lib/libcublasLt.so.12\n@= exit=0 ms=0\n@ library-tags readelf -d /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n|File: /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so\n| 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cublas/lib:$ORIGIN]\n|File: /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n| 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../../nvjitlink/lib]\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
  ],
  [
    'cleared where torch gets its own',
    'cleared',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ sys-module-version cat /sys/module/nvidia/version\n|570.124.06\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|LD_LIBRARY_PATH=/usr/local/cudnn/lib\n|PATH=/usr/bin:/bin\n@= exit=0 ms=0\n@ ldconfig ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'\n|	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n|	libnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n@= exit=0 ms=0\n@ library-files ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 -> libnvidia-ml.so.570.124.06\n|lrwxrwxrwx 1 0 0       21 May  5 12:01 /usr/local/cudnn/lib/libcudnn.so.9 -> libcudnn.so.9.1.0\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.570.124.06\n|-rw-r--r-- 1 0 0 68000000 May  5 12:01 /usr/local/cudnn/lib/libcudnn.so.9.1.0\n@= exit=0 ms=0\n@ python-packages ls /opt/venv/lib/python3.12/site-packages\n|# /opt/venv/lib/python3.12/site-packages\n|torch-2.7.0+cu128.dist-info\n|nvidia_cudnn_cu12-9.5.1.17.dist-info\n|nvidia_nccl_cu12-2.26.2.dist-info\n|nvidia_nvjitlink_cu12-12.8.61.dist-info\n|nvidia/cudnn/lib/libcudnn.so.9\n|nvidia/nccl/lib/libnccl.so.2\n|nvidia/nvjitlink/lib/libnvJitLink.so.12\n|torch/lib/libtorch_cuda.so\n|torch/lib/libtorch_global_deps.so\n|nvidia/cusparse/lib/libcusparse.so.12\n|nvidia_cublas_cu12-12.8.3.14.dist-info\n|nvidia/cublas/lib/libcublas.so.12\n|nvidia/cublas/lib/libcublasLt.so.12\n@= exit=0 ms=0\n@ library-tags readelf -d /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n|File: /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_global_deps.so\n| 0x000000000000001d (RPATH)            Library rpath: [$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cublas/lib:$ORIGIN]\n|File: /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n| 0x000000000000001d (RPATH)            Library rpath: [$ORIGIN/../../nvjitlink/lib]\n@= exit=0 ms=0\n@culprit-end sections=6 ms=10",
  ],
  [
    'proved by two folders',
    'fault proved',
    'CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm`\n$ ldd app\n\tlibcublas.so.12 => /opt/a/lib/libcublas.so.12 (0x00007f0000000000)\n\tlibcublasLt.so.12 => /opt/b/lib/libcublasLt.so.12 (0x00007f1000000000)',
  ],
  [
    'likely on the loader message alone',
    'fault likely',
    'OSError: libcublas.so.11: symbol cublasLtGetStatusString, version libcublasLt.so.11 not defined in file libcublasLt.so.11 with link time reference',
  ],
  [
    'silent when memory ran out',
    'silent',
    'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
  ],
];

describe('toolkit/cublaslt-older-shadow', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cublasltOlderShadow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'older comes first',
      'fault proved',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12 soname=libcublasLt.so.12 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcublasLt.so.12 version=12.4.5.8 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublasLt.so.12=12.6.4.1',
    ],
    [
      'near: newer comes first',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12 soname=libcublasLt.so.12 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcublasLt.so.12 version=99.0.0 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublasLt.so.12=12.6.4.1',
    ],
    [
      'near: its own',
      'cleared',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12 soname=libcublasLt.so.12 path=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublasLt.so.12 version=12.6.4.1 by=RPATH others=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcublasLt.so.12=12.4.5.8',
    ],
    [
      'near: no version is known',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12 soname=libcublasLt.so.12 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcublasLt.so.12 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublasLt.so.12=12.6.4.1',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(cublasltOlderShadow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
