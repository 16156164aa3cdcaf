import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cublasltOlderShadow } from './cublaslt-older-shadow.ts';

const cases: readonly (readonly [string, string, string])[] = [
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
