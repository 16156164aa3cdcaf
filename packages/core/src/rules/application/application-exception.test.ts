import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { applicationException } from './application-exception.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a Python exception ends the program',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    x["k"]\nKeyError: \'k\'',
  ],
  [
    'fault for each rank alike',
    'fault likely',
    '[rank1]: Traceback (most recent call last):\n[rank1]:   File "a.py", line 3, in f\n[rank1]:     g()\n[rank1]: AssertionError: shapes differ',
  ],
  [
    'unknown when its words are about the stack',
    'unknown',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nRuntimeError: cuDNN plan cache is broken',
  ],
  [
    'cleared when the stack failed before',
    'cleared',
    'RuntimeError: CUDA error: an illegal memory access was encountered\nTraceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: bad',
  ],
  ['silent when nothing was raised', 'silent', 'Epoch 1/5'],
];

describe('application/application-exception', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(applicationException, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
