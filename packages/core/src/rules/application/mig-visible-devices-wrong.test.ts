import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { migVisibleDevicesWrong } from './mig-visible-devices-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the variable names a device that is gone',
    'fault proved',
    'RuntimeError: No CUDA GPUs are available\nCUDA_VISIBLE_DEVICES=MIG-00000000-0000-0000-0000-0000000000ff\n$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000001)\n  MIG 3g.40gb     Device  0: (UUID: MIG-00000000-0000-0000-0000-00000000000a)',
  ],
  [
    'silent when MIG is off',
    'silent',
    'CUDA error: invalid device ordinal\n$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000001)',
  ],
];

describe('application/mig-visible-devices-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(migVisibleDevicesWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
