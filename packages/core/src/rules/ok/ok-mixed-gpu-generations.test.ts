import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okMixedGpuGenerations } from './ok-mixed-gpu-generations.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when one of them fails',
    'silent',
    '$ nvidia-smi -L\nGPU 0: NVIDIA GeForce RTX 5090 (UUID: GPU-00000000-0000-0000-0000-000000000001)\nGPU 1: Tesla V100-SXM2-16GB (UUID: GPU-00000000-0000-0000-0000-000000000002)\nRuntimeError: CUDA error: no kernel image is available for execution on the device',
  ],
  [
    'silent on one kind',
    'silent',
    '$ nvidia-smi -L\nGPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-00000000-0000-0000-0000-000000000001)\nstep 12/400 loss 2.41 1.1 it/s',
  ],
];

describe('ok/ok-mixed-gpu-generations', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okMixedGpuGenerations, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
