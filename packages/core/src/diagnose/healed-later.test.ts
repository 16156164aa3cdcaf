import { describe, expect, it } from 'vitest';
import { isSameProgram } from './healed-later.ts';

describe('a program that is started again', () => {
  it.each([
    ['is the same with other arguments', 'python fit.py --bs 64', 'python fit.py --bs 8', true],
    [
      'is the same with the variables that it had',
      'NCCL_DEBUG=INFO python fit.py',
      'NCCL_DEBUG=INFO python fit.py -v',
      true,
    ],
    ['is the same with fewer variables', 'CUDA_LAUNCH_BLOCKING=1 python fit.py', 'python fit.py', true],
    [
      'mends nothing where a variable is set for it',
      'python fit.py',
      'CUBLAS_WORKSPACE_CONFIG=:4096:8 python fit.py',
      false,
    ],
    ['mends nothing where a variable has another value', 'A_B=1 python fit.py', 'A_B=2 python fit.py', false],
    ['is another script', 'python fit.py', 'python smoke.py', false],
    ['is nothing where only its launcher is known', 'torchrun -m fit', 'torchrun -m fit', false],
  ])('%s', (_, failed, worked, same) => {
    expect(isSameProgram(failed, worked)).toBe(same);
  });
});
