import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { uvmStaleAfterSuspend } from './uvm-stale-after-suspend.ts';

describe('driver/uvm-stale-after-suspend', () => {
  it.each([
    [
      'fault when the kernel log shows the sleep and the module is loaded',
      '[ 5213.100000] PM: suspend exit\n$ lsmod | grep nvidia\nnvidia_uvm           1458176  0\nnvidia              56553472  1 nvidia_uvm\n$ ./deviceQuery\ncudaGetDeviceCount returned 999',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when somebody says that the machine slept',
      '# after waking the laptop\ncudaGetDeviceCount returned 999',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'possible when only the error is there',
      'RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment',
      { kind: 'fault', certainty: 'possible' },
    ],
    [
      'silent when a training is resumed',
      'resuming training after a restart from checkpoint 1000\nepoch 3 loss 0.1',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(uvmStaleAfterSuspend, text)).toMatchObject(answer);
  });
});
