import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { dkmsTreeStaleEntry } from './dkms-tree-stale-entry.ts';

describe('host-os/dkms-tree-stale-entry', () => {
  it.each([
    [
      'fault when DKMS has the version already',
      'Error! DKMS tree already contains: nvidia-535.104.05\nYou cannot add the same module/version combo more than once.',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when the configuration of an old version is gone',
      'Error! Could not locate dkms.conf file.\nFile: /var/lib/dkms/nvidia/430.64/source/dkms.conf does not exist.',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent when another module than the one of NVIDIA is stale',
      'Error! DKMS tree already contains: rtl88x2bu-5.8.7.1',
      { kind: 'silent' },
    ],
    [
      'cleared when the module is installed',
      '$ dkms status\nnvidia/535.183.01, 6.5.0-41-generic, x86_64: installed',
      { kind: 'cleared' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(dkmsTreeStaleEntry, text)).toMatchObject(answer);
  });
});
