import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okMinorVersionCompat } from './ok-minor-version-compat.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent across majors',
    'silent',
    'PyTorch version: 2.9.1+cu130\nCUDA used to build PyTorch: 13.0\nIs CUDA available: True\nGPU models and configuration: GPU 0: NVIDIA A100-SXM4-80GB\nNvidia driver version: 535.183.01',
  ],
];

describe('ok/ok-minor-version-compat', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okMinorVersionCompat, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
