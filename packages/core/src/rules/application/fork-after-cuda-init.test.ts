import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { forkAfterCudaInit } from './fork-after-cuda-init.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when torch says so',
    'fault proved',
    "(Worker pid=9) RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method",
  ],
  ['cleared when nothing forks', 'cleared', 'RuntimeError: CUDA error: initialization error'],
  ['silent on the advice alone', 'silent', 'INFO multiprocessing start method is spawn'],
];

describe('application/fork-after-cuda-init', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(forkAfterCudaInit, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
