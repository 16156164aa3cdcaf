import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { imageGateLowerThanContent } from './image-gate-lower-than-content.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved for another package',
    'fault proved',
    '{"Env":["PATH=/usr/bin","NVIDIA_REQUIRE_CUDA=cuda>=11.2 brand=tesla,driver>=418,driver<419","NVIDIA_DRIVER_CAPABILITIES=compute,utility"]}\n$ pip freeze | grep cupy\ncupy-cuda12x==12.2.0',
  ],
  ['silent without a declaration', 'silent', 'torch==2.9.1+cu130'],
];

describe('image/image-gate-lower-than-content', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(imageGateLowerThanContent, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'a framework',
      'fault proved',
      'image variable name=NVIDIA_REQUIRE_CUDA value="cuda>=11.8 brand=tesla,driver>=450,driver<451"\nimage package name=torch version=2.7.0+cu126 environment=/usr manager=pip cuda=12.6',
    ],
    [
      'a toolkit',
      'fault proved',
      'image variable name=NVIDIA_REQUIRE_CUDA value="cuda>=11.8 brand=tesla,driver>=450,driver<451"\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true',
    ],
    [
      'near: another minor',
      'cleared',
      'image variable name=NVIDIA_REQUIRE_CUDA value="cuda>=12.1 brand=tesla,driver>=450,driver<451"\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true',
    ],
    [
      'near: the image checks the driver itself',
      'cleared',
      'image variable name=NVIDIA_REQUIRE_CUDA value="cuda>=9.0 brand=tesla,driver>=450,driver<451"\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true\nimage entrypoint words=/opt/nvidia/nvidia_entrypoint.sh compat=nvidia-entrypoint ngcScript=true',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(imageGateLowerThanContent, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
