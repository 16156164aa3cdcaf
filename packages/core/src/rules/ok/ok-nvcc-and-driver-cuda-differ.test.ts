import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okNvccAndDriverCudaDiffer } from './ok-nvcc-and-driver-cuda-differ.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for two commands, two versions',
    'cleared',
    '$ nvidia-smi | grep CUDA\n| NVIDIA-SMI 450.66       Driver Version: 450.66       CUDA Version: 11.0     |\n$ nvcc --version\nCuda compilation tools, release 10.1, V10.1.243',
  ],
  [
    'silent when something failed',
    'silent',
    '$ nvidia-smi | grep CUDA\n| NVIDIA-SMI 450.66       Driver Version: 450.66       CUDA Version: 11.0     |\n$ nvcc --version\nCuda compilation tools, release 10.1, V10.1.243\nRuntimeError: CUDA error: no kernel image is available for execution on the device',
  ],
];

describe('ok/ok-nvcc-and-driver-cuda-differ', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okNvccAndDriverCudaDiffer, text).kind).toBe(expected);
  });
});
