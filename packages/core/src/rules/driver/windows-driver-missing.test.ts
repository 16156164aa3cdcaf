import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { windowsDriverMissing } from './windows-driver-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a dialogue of Windows',
    'fault likely',
    'The code execution cannot proceed because nvcuda.dll was not found. Reinstalling the program may fix this problem.',
  ],
  [
    'a program that loads it by hand, and no nvidia-smi',
    'fault proved',
    "Failed to load nvcuda.dll: The specified module could not be found.\n'nvidia-smi' is not recognized as an internal or external command,\noperable program or batch file.",
  ],
  [
    'near miss: another library is missing',
    'silent',
    "FileNotFoundError: Could not find module 'nvvm.dll' (or one of its dependencies). Try using the full path with constructor syntax.",
  ],
];

describe('driver/windows-driver-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(windowsDriverMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
