import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { imageRequireCudaUnsatisfied } from './image-require-cuda-unsatisfied.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the start script finds the driver too old',
    'fault proved',
    'ERROR: This container was built for NVIDIA Driver Release 535.86 or later, but version 470.57.02 was detected and compatibility mode is UNAVAILABLE.',
  ],
  [
    'fault likely when only the two versions are known',
    'fault likely',
    "NVIDIA_REQUIRE_CUDA=cuda>=12.6\n$ nvidia-smi | grep 'CUDA Version'\n| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |",
  ],
  [
    'silent when the check is off',
    'silent',
    "NVIDIA_REQUIRE_CUDA=cuda>=12.6\nNVIDIA_DISABLE_REQUIRE=1\n$ nvidia-smi | grep 'CUDA Version'\n| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |",
  ],
  [
    'silent without an image',
    'silent',
    'RuntimeError: The NVIDIA driver on your system is too old (found version 12020).',
  ],
];

describe('driver/image-require-cuda-unsatisfied', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(imageRequireCudaUnsatisfied, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
