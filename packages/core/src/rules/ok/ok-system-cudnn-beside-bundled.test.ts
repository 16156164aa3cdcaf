import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okSystemCudnnBesideBundled } from './ok-system-cudnn-beside-bundled.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for listed, not loaded',
    'cleared',
    'PyTorch version: 1.9.0\nCUDA used to build PyTorch: 10.2\nIs CUDA available: True\ncuDNN version: Probably one of the following:\n/usr/local/cuda-11.4/targets/x86_64-linux/lib/libcudnn.so.8',
  ],
  [
    'silent without a sign that torch works',
    'silent',
    'PyTorch version: 1.9.0\nIs CUDA available: False\ncuDNN version: Probably one of the following:\n/usr/local/cuda-11.4/targets/x86_64-linux/lib/libcudnn.so.8',
  ],
];

describe('ok/ok-system-cudnn-beside-bundled', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okSystemCudnnBesideBundled, text).kind).toBe(expected);
  });
});
