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
