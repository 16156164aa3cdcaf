import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { secureBootUnsignedKmod } from './secure-boot-unsigned-kmod.ts';

describe('host-os/secure-boot-unsigned-kmod', () => {
  it.each([
    [
      'fault when the key is refused',
      "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service\nSecureBoot enabled",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the key is refused and secure boot is off',
      "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service\n$ mokutil --sb-state\nSecureBoot disabled",
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'possible when only secure boot is on',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ mokutil --sb-state\nSecureBoot enabled",
      { kind: 'fault', certainty: 'possible' },
    ],
    [
      'silent for the harmless taint line',
      'nvidia: module verification failed: signature and/or required key missing - tainting kernel',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(secureBootUnsignedKmod, text)).toMatchObject(answer);
  });
});
