import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okDriverServesToolkit } from './ok-driver-serves-toolkit.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when CUDA is not available',
    'silent',
    'PyTorch version: 2.5.1+cu124\nCUDA used to build PyTorch: 12.4\nIs CUDA available: False\nNvidia driver version: 580.95.05',
  ],
  [
    'silent when the driver is too old',
    'silent',
    'PyTorch version: 2.9.1+cu130\nCUDA used to build PyTorch: 13.0\nIs CUDA available: True\nNvidia driver version: 535.104.05',
  ],
];

describe('ok/ok-driver-serves-toolkit', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okDriverServesToolkit, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
