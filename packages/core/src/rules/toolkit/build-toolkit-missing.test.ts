import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { buildToolkitMissing } from './build-toolkit-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when DeepSpeed finds no toolkit',
    'fault proved',
    'Traceback (most recent call last):\n  File "/app/a.py", line 3, in <module>\n    import deepspeed\ndeepspeed.ops.op_builder.builder.MissingCUDAException: CUDA_HOME does not exist, unable to compile CUDA op(s)',
  ],
  [
    'fault when a header of the toolkit is missing',
    'fault proved',
    'csrc/ops.cpp:3:10: fatal error: cublas_v2.h: No such file or directory\nninja: build stopped: subcommand failed.',
  ],
  [
    'fault when the shell finds no nvcc',
    'fault proved',
    '/bin/sh: 1: nvcc: not found\nmake: *** [Makefile:12: kern.o] Error 127',
  ],
  [
    'likely when CMake stops without a compiler',
    'fault likely',
    'CMake Error at CMakeLists.txt:4 (enable_language):\n  No CMAKE_CUDA_COMPILER could be found.\n-- Configuring incomplete, errors occurred!',
  ],
  [
    'silent when torch sees no GPU and names its toolkit',
    'silent',
    "No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda'",
  ],
  [
    'cleared when Triton links a helper at run time',
    'cleared',
    "/usr/bin/ld: cannot find -lcuda: No such file or directory\ntorch._inductor.exc.InductorError: CalledProcessError: Command '['/usr/bin/gcc', '/tmp/tmpk/main.c', '-lcuda']' returned non-zero exit status 1.",
  ],
];

describe('toolkit/build-toolkit-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(buildToolkitMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
