import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { openKmodGpuNotEnabled } from './open-kmod-gpu-not-enabled.ts';

describe('driver/open-kmod-gpu-not-enabled', () => {
  it.each([
    [
      'fault when the kernel log names the option',
      'NVRM: Open nvidia.ko is only ready for use on Data Center GPUs.',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared from 545 on',
      'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build  (builder@host)  Tue Sep 23 10:11:12 UTC 2025',
      { kind: 'cleared' },
    ],
    [
      'silent for a GPU that no open module drives',
      'NVRM: installed in this system is not supported by open\nNVRM: nvidia.ko because it does not include the required GPU',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(openKmodGpuNotEnabled, text)).toMatchObject(answer);
  });
});
