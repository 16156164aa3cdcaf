import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { uvmModuleMissing } from './uvm-module-missing.ts';

describe('driver/uvm-module-missing', () => {
  it.each([
    [
      'fault when nvidia is loaded without it',
      '$ lsmod | grep nvidia\nnvidia              56553472  0\n$ ./deviceQuery\ncudaGetDeviceCount returned 999',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when there is no such module',
      '$ sudo modprobe nvidia-uvm\nmodprobe: FATAL: Module nvidia-uvm not found in directory /lib/modules/6.1.0-18-amd64\nRuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when it is loaded',
      '$ lsmod | grep nvidia\nnvidia_uvm           1458176  0\nnvidia              56553472  1 nvidia_uvm\nRuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment',
      { kind: 'cleared' },
    ],
    [
      'possible when only the error is there',
      'RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment',
      { kind: 'fault', certainty: 'possible' },
    ],
    ['silent when nothing fails', '$ lsmod | grep nvidia\nnvidia              56553472  0', { kind: 'silent' }],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(uvmModuleMissing, text)).toMatchObject(answer);
  });
});
