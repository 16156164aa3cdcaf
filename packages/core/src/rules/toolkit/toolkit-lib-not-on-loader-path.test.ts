import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { toolkitLibNotOnLoaderPath } from './toolkit-lib-not-on-loader-path.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'likely when a program ends over a library',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nRuntimeError: Library libcublas.so.12 is not found or cannot be loaded',
  ],
  [
    'likely when the GPU answers and TensorFlow names no library',
    'fault likely',
    'Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly\n$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-11111111-2222-3333-4444-555555555555)',
  ],
  [
    'unknown when no GPU is shown',
    'unknown',
    'Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly',
  ],
  [
    'proved by an installed toolkit of that major',
    'fault proved',
    '$ nvcc --version\nCuda compilation tools, release 12.4, V12.4.131\n$ ./app\n./app: error while loading shared libraries: libcudart.so.12: cannot open shared object file: No such file or directory',
  ],
  [
    'proved by ldd and the file',
    'fault proved',
    "$ ldd ./app\n\tlibcublas.so.12 => not found\n$ find / -name 'libcublas.so*'\n/opt/cuda/lib64/libcublas.so.12",
  ],
  [
    'silent on the library of the driver',
    'silent',
    'ImportError: libcuda.so.1: cannot open shared object file: No such file or directory',
  ],
];

describe('toolkit/toolkit-lib-not-on-loader-path', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(toolkitLibNotOnLoaderPath, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
