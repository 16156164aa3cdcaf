import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { mixedCudaMajorPackages } from './mixed-cuda-major-packages.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'likely when CuPy warns',
    'fault likely',
    '  CuPy may not function correctly because multiple CuPy packages are installed\n  in your environment:',
  ],
  ['silent on two majors without a failure', 'silent', '$ pip list\nnvidia-nccl-cu12 2.27.5\nnvidia-nccl-cu13 2.28.9'],
];

describe('nccl/mixed-cuda-major-packages', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(mixedCudaMajorPackages, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'cuDNN',
      'fault proved',
      'image package name=nvidia-cudnn-cu11 version=8.9.6.50 environment=/usr manager=pip cuda=11\nimage package name=nvidia-cudnn-cu12 version=9.1.0.70 environment=/usr manager=pip cuda=12',
    ],
    [
      'CuPy',
      'fault proved',
      'image package name=cupy-cuda11x version=13.3.0 environment=/usr manager=pip cuda=11\nimage package name=cupy-cuda12x version=13.3.0 environment=/usr manager=pip cuda=12',
    ],
    [
      'near: folders of their own',
      'silent',
      'image package name=nvidia-cublas-cu11 version=11.11.3.6 environment=/usr manager=pip cuda=11\nimage package name=nvidia-cublas-cu12 version=12.6.4.1 environment=/usr manager=pip cuda=12',
    ],
    [
      'near: two environments',
      'silent',
      'image package name=nvidia-nccl-cu12 version=2.26.2 environment=/opt/a manager=pip cuda=12\nimage package name=nvidia-nccl-cu13 version=2.27.7 environment=/opt/b manager=pip cuda=13',
    ],
    [
      'frameworks for two majors',
      'fault possible',
      'image package name=torch version=2.7.0+cu118 environment=/usr manager=pip cuda=11.8\nimage package name=jax-cuda12-plugin version=0.5.0 environment=/usr manager=pip cuda=12',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(mixedCudaMajorPackages, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
