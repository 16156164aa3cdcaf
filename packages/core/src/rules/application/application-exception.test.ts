import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { applicationException } from './application-exception.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when the simulated system loses its atoms',
    'fault likely',
    'ERROR: Lost atoms: original 2592 current 2590 (../thermo.cpp:488)\nLast command: run 50000',
  ],
  [
    'fault when the energy is no number',
    'fault likely',
    'Fatal error:\nStep 220: The total potential energy is nan, which is not finite. The LJ and\nelectrostatic contributions to the energy are 0 and -1.1e+06, respectively.',
  ],
  [
    'fault when Numba cannot type the kernel',
    'fault likely',
    "numba.core.errors.TypingError: Failed in cuda mode pipeline (step: nopython frontend)\nUntyped global name 'np.unique': Cannot determine Numba type of <class 'numpy._ArrayFunctionDispatcher'>",
  ],
  [
    'silent when Numba misses libNVVM',
    'cleared',
    'numba.core.errors.TypingError: Failed in cuda mode pipeline (step: nopython frontend)\nlibNVVM cannot be found. Do `conda install cudatoolkit`:',
  ],
  [
    'cleared when only the pipe of a killed child breaks',
    'cleared',
    '[10:10:10] Exit code: -9\nTraceback (most recent call last):\n  File "/srv/eng/launch.py", line 61, in wait\n    msg = conn.recv()\nEOFError',
  ],
  [
    'fault when the attention call lies on the CPU',
    'fault likely',
    "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n     query       : shape=(1, 64, 8, 64) (torch.float16)\n`fa2F@v2.5.7-pt` is not supported because:\n    device=cpu (supported: {'cuda'})\n`cutlassF-pt` is not supported because:\n    device=cpu (supported: {'cuda'})",
  ],
  [
    'cleared when the GPU is what every operator refuses',
    'cleared',
    'NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n     query       : shape=(1, 64, 8, 64) (torch.float16)\n`cutlassF-pt` is not supported because:\n    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)',
  ],
  [
    'fault when nvcc stops at the own source',
    'fault likely',
    '/home/u/a/src/k.cu(88): error: identifier "blockIdxx" is undefined\n1 error detected in the compilation of "/home/u/a/src/k.cu".',
  ],
  [
    'silent when nvcc stops at a header of the system',
    'silent',
    '/usr/include/bits/mathcalls.h(79): error: exception specification is incompatible with that of previous function "cospi"\n4 errors detected in the compilation of "/home/u/a/src/k.cu".',
  ],
  ['fault when no versions fit', 'fault likely', 'ERROR: No matching distribution found for torch==2.3.1+cu118'],
  [
    'fault when device code calls what nobody defines',
    'fault likely',
    "nvlink error   : Undefined reference to '_Z9potentialff' in 'force.cu.o'",
  ],
  [
    'fault when tensors lie on two GPUs',
    'fault likely',
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nRuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!',
  ],
  [
    'cleared when a server only points to what stands above',
    'cleared',
    'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
  ],
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
