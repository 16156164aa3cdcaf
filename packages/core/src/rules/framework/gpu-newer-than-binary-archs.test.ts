import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuNewerThanBinaryArchs } from './gpu-newer-than-binary-archs.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the list that the warning prints',
    'fault proved',
    'NVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_80 sm_86 sm_90.',
  ],
  [
    'likely for the newest generation when only the GPU is known',
    'fault likely',
    'GPU 0: NVIDIA GeForce RTX 5070 (UUID: GPU-11111111-2222-3333-4444-555555555555)\nCUDA error: no kernel image is available for execution on the device',
  ],
  [
    'cleared on a warning that has no effect, same major',
    'cleared',
    'NVIDIA GB10 with CUDA capability sm_121 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_80 sm_90 sm_100 sm_120.',
  ],
  ['silent on another CUDA error', 'silent', 'CUDA error: an illegal memory access was encountered'],
];

describe('framework/gpu-newer-than-binary-archs', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuNewerThanBinaryArchs, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
