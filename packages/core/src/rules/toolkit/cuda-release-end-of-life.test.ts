import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cudaReleaseEndOfLife } from './cuda-release-end-of-life.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault: a toolkit',
    'fault likely',
    'image toolkit version=10.1 path=/usr/local/cuda-10.1 cudart=10.1.77 nvcc=true layer=2',
  ],
  ['fault: the variable of the image', 'fault likely', 'image variable name=CUDA_VERSION value=10.0.130'],
  [
    'possible from CUDA 11 on',
    'fault possible',
    'image toolkit version=11.8 path=/usr/local/cuda-11.8 cudart=11.8.77 nvcc=true layer=2',
  ],
  [
    'near: a supported release',
    'cleared',
    'image toolkit version=13.1 path=/usr/local/cuda-13.1 cudart=13.1.77 nvcc=true layer=2',
  ],
  [
    'silent without a release',
    'silent',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true',
  ],
];

describe('toolkit/cuda-release-end-of-life', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cudaReleaseEndOfLife, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
