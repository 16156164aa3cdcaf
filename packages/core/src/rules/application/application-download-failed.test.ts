import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { applicationDownloadFailed } from './application-download-failed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a host cannot be resolved',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nrequests.exceptions.ConnectionError: Failed to resolve \'huggingface.co\'',
  ],
  [
    'fault when a repository is gated',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nOSError: You are trying to access a gated repo. 403 Client Error.',
  ],
  [
    'cleared for a plain bug',
    'cleared',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nZeroDivisionError: division by zero',
  ],
  [
    'no download when ranks do not reach the store',
    'silent',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nDistStoreError: the rank store: connection refused',
  ],
];

describe('application/application-download-failed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(applicationDownloadFailed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
