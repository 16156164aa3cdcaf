import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { kmodMissingForRunningKernel } from './kmod-missing-for-running-kernel.ts';

describe('host-os/kmod-missing-for-running-kernel', () => {
  it.each([
    [
      'fault when modprobe finds none',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ modprobe nvidia\nmodprobe: FATAL: Module nvidia not found in directory /lib/modules/6.5.0-41-generic",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when it was built for another kernel',
      "nvidia: version magic '5.15.0-91-generic SMP mod_unload modversions ' should be '5.15.0-94-generic SMP mod_unload modversions '",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when headers were looked for in vain',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ rpm -q kernel-devel-$(uname -r)\npackage kernel-devel-5.14.0-362.el9.x86_64 is not installed",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when DKMS could not build',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\nError! Bad return status for module build on kernel: 6.8.0-31-generic (x86_64)",
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'possible when the module only does not answer',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
      { kind: 'fault', certainty: 'possible' },
    ],
    [
      'silent in WSL',
      "$ uname -r\n5.15.153.1-microsoft-standard-WSL2\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
      { kind: 'silent' },
    ],
    [
      'silent when nouveau has the GPU',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ lsmod | grep nouveau\nnouveau              2310144  4",
      { kind: 'silent' },
    ],
    [
      'silent for a missing peermem module alone',
      'modprobe: FATAL: Module nvidia-peermem not found in directory /lib/modules/6.5.0-41-generic',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(kmodMissingForRunningKernel, text)).toMatchObject(answer);
  });
});
