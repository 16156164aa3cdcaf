import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostCompilerTooNew } from './host-compiler-too-new.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'likely when the C library is newer than the headers of the toolkit',
    'fault likely',
    '/usr/include/bits/mathcalls.h(206): error: exception specification is incompatible with that of previous function "rsqrt" (declared at line 629 of /opt/cuda/include/crt/math_functions.h)',
  ],
  [
    'proved with the release of the C library',
    'fault proved',
    '/usr/include/x86_64-linux-gnu/bits/mathcalls.h(79): error: exception specification is incompatible with that of previous function "cospi" (declared at line 2595 of /usr/local/cuda/include/crt/math_functions.h)\n$ ldd --version | head -1\nldd (Ubuntu GLIBC 2.41-6ubuntu1) 2.41',
  ],
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
