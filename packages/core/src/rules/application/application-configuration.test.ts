import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { applicationConfiguration } from './application-configuration.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a validation error is raised',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\npydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig',
  ],
  [
    'fault when weights do not fit the model',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nRuntimeError: Error(s) in loading state_dict for Net:\n\tsize mismatch for fc.weight: copying a param',
  ],
  [
    'fault when the refusal speaks of what CUDA might do',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: max_model_len (9) is greater than the derived length. Larger values will cause a CUDA array out-of-bounds error.',
  ],
  [
    'cleared for a plain bug',
    'cleared',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nZeroDivisionError: division by zero',
  ],
  [
    'unknown when the words are about the stack',
    'unknown',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nRuntimeError: NVML handle pool exhausted',
  ],
];

describe('application/application-configuration', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(applicationConfiguration, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
