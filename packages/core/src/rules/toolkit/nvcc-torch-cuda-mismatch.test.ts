import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvccTorchCudaMismatch } from './nvcc-torch-cuda-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the two releases of DeepSpeed',
    'fault proved',
    'Exception: >- DeepSpeed Op Builder: Installed CUDA version 11.8 does not match the version torch was compiled with 12.4, unable to compile',
  ],
  [
    'likely without releases',
    'fault likely',
    'RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries.',
  ],
  [
    'silent on a difference of the minor, which torch lets pass',
    'silent',
    "UserWarning: The detected CUDA version (12.4) has a minor version mismatch with the version that was used to compile PyTorch (12.1). Most likely this shouldn't be a problem.",
  ],
];

describe('toolkit/nvcc-torch-cuda-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvccTorchCudaMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
