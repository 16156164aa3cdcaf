import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { lossNotFinite } from './loss-not-finite.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when anomaly detection names the function',
    'fault likely',
    "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.",
  ],
  ['fault when the program stops itself', 'fault likely', 'AssertionError: loss is nan at step 881'],
  [
    'cleared when single steps were skipped',
    'cleared',
    'step 40 loss: nan, skipping\nstep 41 loss 2.31 lr 1e-4\nstep 42 loss 2.30 lr 1e-4',
  ],
];

describe('application/loss-not-finite', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(lossNotFinite, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
