import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nouveauOwnsGpu } from './nouveau-owns-gpu.ts';

describe('host-os/nouveau-owns-gpu', () => {
  it.each([
    [
      'fault when nouveau is loaded and the driver does not answer',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ lsmod | grep nouveau\nnouveau              2310144  4",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when the installer stops over it',
      'ERROR: The Nouveau kernel driver is currently in use by your system.  This driver is incompatible with the NVIDIA driver',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when nvidia is loaded beside it',
      '$ lsmod\nModule                  Size  Used by\nnouveau              2310144  0\nnvidia              56553472  0',
      { kind: 'cleared' },
    ],
    [
      'possible when the installer could not load its module',
      "ERROR: Unable to load the kernel module 'nvidia.ko'.",
      { kind: 'fault', certainty: 'possible' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(nouveauOwnsGpu, text)).toMatchObject(answer);
  });
});
