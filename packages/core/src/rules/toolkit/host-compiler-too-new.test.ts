import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostCompilerTooNew } from './host-compiler-too-new.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the check of torch',
    'fault proved',
    'RuntimeError: The current installed version of g++ (14.2.0) is greater than the maximum required version by CUDA 12.1. Please make sure to use an adequate version of g++ (>=6.0.0, <13.0).',
  ],
  [
    'proved by the older wording',
    'fault proved',
    '#error -- unsupported GNU version! gcc 4.9 and up are not supported!',
  ],
  [
    'likely when only the headers fail',
    'fault likely',
    "/usr/include/c++/11/bits/std_function.h:435:145: error: parameter packs not expanded with '...':",
  ],
  ['silent on a plain compile error', 'silent', 'main.cu(12): error: identifier "x" is undefined'],
];

describe('toolkit/host-compiler-too-new', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostCompilerTooNew, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
