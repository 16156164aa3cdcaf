import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okProfilingUnsupportedBeforeVolta } from './ok-profiling-unsupported-before-volta.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared on a GTX 1080',
    'cleared',
    '==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option.\n$ nvidia-smi -L\nGPU 0: NVIDIA GeForce GTX 1080 (UUID: GPU-00000000-0000-0000-0000-000000000000)',
  ],
  [
    'cleared by its compute capability',
    'cleared',
    '==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option.\n$ nvidia-smi --query-gpu=compute_cap --format=csv\ncompute_cap\n6.1',
  ],
  [
    'asks on a newer GPU',
    'unknown',
    '==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option.\n$ nvidia-smi -L\nGPU 0: NVIDIA B200 (UUID: GPU-00000000-0000-0000-0000-000000000000)',
  ],
];

describe('ok/ok-profiling-unsupported-before-volta', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okProfilingUnsupportedBeforeVolta, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
