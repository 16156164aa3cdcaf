import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { aarch64CpuOnlyWheel } from './aarch64-cpu-only-wheel.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved by torch’s own message',
    'fault proved',
    '$ uname -m\naarch64\nAssertionError: Torch not compiled with CUDA enabled',
  ],
  ['silent on x86_64', 'silent', '$ uname -m\nx86_64\nAssertionError: Torch not compiled with CUDA enabled'],
];

describe('framework/aarch64-cpu-only-wheel', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(aarch64CpuOnlyWheel, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'torch',
      'fault proved',
      'image scanned reference=registry.example/team/app:1 platform=linux/arm64 complete=true gpu=true\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true\nimage package name=torch version=2.5.1 environment=/usr manager=pip cuda=none',
    ],
    [
      'near: not on Arm',
      'silent',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true\nimage package name=torch version=2.5.1 environment=/usr manager=pip cuda=none',
    ],
    [
      'near: built for CUDA',
      'cleared',
      'image scanned reference=registry.example/team/app:1 platform=linux/arm64 complete=true gpu=true\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true\nimage package name=torch version=2.9.0+cu129 environment=/usr manager=pip cuda=12.9',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(aarch64CpuOnlyWheel, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
