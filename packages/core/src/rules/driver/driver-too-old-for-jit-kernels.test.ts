import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverTooOldForJitKernels } from './driver-too-old-for-jit-kernels.ts';

describe('driver/driver-too-old-for-jit-kernels', () => {
  it.each([
    [
      'fault when the compiler is newer than the driver',
      'PyTorch version: 2.5.1+cu124\nCUDA used to build PyTorch: 12.4\nIs CUDA available: True\nNvidia driver version: 525.105.17\nRuntimeError: Triton Error [CUDA]: device kernel image is invalid',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when the driver is newer',
      'PyTorch version: 2.5.1+cu124\nCUDA used to build PyTorch: 12.4\nIs CUDA available: True\nNvidia driver version: 560.35.03\nRuntimeError: Triton Error [CUDA]: device kernel image is invalid',
      { kind: 'cleared' },
    ],
    [
      'possible when the driver is not known',
      'RuntimeError: Triton Error [CUDA]: device kernel image is invalid',
      { kind: 'fault', certainty: 'possible' },
    ],
    ['silent without a JIT compiler', 'CUDA error: device kernel image is invalid', { kind: 'silent' }],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(driverTooOldForJitKernels, text)).toMatchObject(answer);
  });
});
