import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pciWindowUnassigned } from './pci-window-unassigned.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'BAR0 in a desktop',
    'fault proved',
    'NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:\nNVRM: BAR0 is 0M @ 0x0 (PCI:0000:01:00.0)\nNVRM: The system BIOS may have misconfigured your GPU.',
  ],
  [
    'a virtual machine with a small window',
    'fault proved',
    "Jul  2 11:00:01 vm3 kernel: NVRM: BAR1 is 0M @ 0x0 (PCI:0000:00:06.0)\nJul  2 11:00:01 vm3 kernel: NVRM: None of the NVIDIA devices were initialized.\n$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  [
    'near miss: a bridge without room for input and output',
    'silent',
    '[    0.901100] pci 0000:00:1c.0: BAR 13: failed to assign [io  size 0x1000]',
  ],
  [
    'near miss: the window of a network adapter, and the GPUs answer',
    'cleared',
    '[    2.001000] pci 0000:98:00.0: BAR 2: no space for [mem size 0x00100000 64bit pref]\n$ nvidia-smi\n+-----------------------------------------------------------------------------------------+\n| NVIDIA-SMI 580.65.06              Driver Version: 580.65.06      CUDA Version: 13.0     |\n+-----------------------------------------------------------------------------------------+',
  ],
];

describe('host-os/pci-window-unassigned', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pciWindowUnassigned, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
