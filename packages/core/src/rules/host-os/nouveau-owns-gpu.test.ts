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
    [
      'fault when nova is bound to the GPU',
      'NVRM: GPU 0000:01:00.0 is already bound to NovaCore.\n$ lspci -k -s 01:00.0\n01:00.0 VGA compatible controller: NVIDIA Corporation AD104 [GeForce RTX 4070] (rev a1)\n\tKernel driver in use: NovaCore',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when only the bus shows nova',
      '$ lspci -k -s 65:00.0\n65:00.0 VGA compatible controller: NVIDIA Corporation GB203 [GeForce RTX 5080] (rev a1)\n\tKernel driver in use: nova_core',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'silent when nova could drive it, and nvidia does',
      '$ lspci -k -s 65:00.0\n65:00.0 VGA compatible controller: NVIDIA Corporation GB203 [GeForce RTX 5080] (rev a1)\n\tKernel driver in use: nvidia\n\tKernel modules: nvidiafb, nouveau, nova_core, nvidia',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(nouveauOwnsGpu, text)).toMatchObject(answer);
  });
});
