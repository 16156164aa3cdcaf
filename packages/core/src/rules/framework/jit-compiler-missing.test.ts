import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jitCompilerMissing } from './jit-compiler-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when the headers of Python are missing',
    'fault proved',
    '/tmp/tmpq/main.c:4:10: fatal error: Python.h: No such file or directory',
  ],
  [
    'fault when there is no C++ compiler',
    'fault proved',
    "torch._inductor.exc.InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')",
  ],
  [
    'silent when the compiler is too new',
    'silent',
    'error: #error -- unsupported GNU version! gcc versions later than 13 are not supported!',
  ],
];

describe('framework/jit-compiler-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(jitCompilerMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
