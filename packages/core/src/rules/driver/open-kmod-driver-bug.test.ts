import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { openKmodDriverBug } from './open-kmod-driver-bug.ts';

describe('driver/open-kmod-driver-bug', () => {
  it.each([
    [
      'likely when the firmware does not start on the open module',
      'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build  (builder@host)  Tue Sep 23 10:11:12 UTC 2025\nNVRM: RmInitAdapter: Cannot initialize GSP firmware RM\nNVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x40:1860)',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'likely when the other flavour is said to work',
      'NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x63:0x56:1689)\n# the proprietary module of the same release works',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'cleared on the proprietary module',
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Tue Jun  4 10:11:12 UTC 2024\nNVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x40:1860)',
      { kind: 'cleared' },
    ],
    [
      'silent when an opt-in is asked for',
      'NVRM: Open nvidia.ko is only ready for use on Data Center GPUs.\nNVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x63:0x0:1905)',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(openKmodDriverBug, text)).toMatchObject(answer);
  });
});
