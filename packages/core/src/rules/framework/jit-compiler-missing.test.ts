import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jitCompilerMissing } from './jit-compiler-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when XLA finds no libdevice',
    'fault proved',
    'InternalError: Graph execution error: libdevice not found at ./libdevice.10.bc [Op:__inference_one_step_on_data_1201]',
  ],
  [
    'fault when XLA has no compiler for PTX',
    'fault proved',
    'INTERNAL: No PTX compilation provider is available. Neither ptxas/nvlink nor nvjtlink is available.',
  ],
  [
    "fault when Triton's helper finds no libcuda",
    'fault proved',
    "/usr/bin/ld: cannot find -lcuda\nsubprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/tmpp8b/main.c', '-lcuda', '-o', '/tmp/tmpp8b/cuda_utils.so']' returned non-zero exit status 1.",
  ],
  [
    'silent when a program is linked',
    'silent',
    '/usr/bin/ld: cannot find -lcuda\nmake: *** [Makefile:9: solve] Error 1',
  ],
  ['fault when nvcc finds no host compiler', 'fault proved', "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH"],
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
