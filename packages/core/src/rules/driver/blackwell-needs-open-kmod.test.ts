import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { blackwellNeedsOpenKmod } from './blackwell-needs-open-kmod.ts';

describe('driver/blackwell-needs-open-kmod', () => {
  it.each([
    [
      'fault when the kernel log says so',
      'NVRM: installed in this system requires use of the NVIDIA open kernel modules.',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when a Blackwell GPU meets the proprietary module and no device is found',
      '0000:01:00.0 GPU name\nModel: \t\t NVIDIA GeForce RTX 5090\nGPU Excluded:    No\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  575.57.08  Tue Jun  4 10:11:12 UTC 2024\n$ nvidia-smi\nNo devices were found',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent when an older GPU meets the proprietary module',
      'Model: \t\t NVIDIA A100-SXM4-80GB\nGPU Excluded:    No\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  575.57.08  Tue Jun  4 10:11:12 UTC 2024\n$ nvidia-smi\nNo devices were found',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(blackwellNeedsOpenKmod, text)).toMatchObject(answer);
  });
});
