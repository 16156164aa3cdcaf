import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvrtcBuiltinsMismatch } from './nvrtc-builtins-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the toolkit that is there',
    'fault proved',
    'nvrtc: error: failed to open libnvrtc-builtins.so.12.1.\n$ nvcc --version\nCuda compilation tools, release 12.6, V12.6.20',
  ],
  ['likely on the message alone', 'fault likely', 'nvrtc: error: failed to open libnvrtc-builtins.so.12.8.'],
  ['silent on other errors of NVRTC', 'silent', 'NVRTC_ERROR_COMPILATION'],
];

describe('toolkit/nvrtc-builtins-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvrtcBuiltinsMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
