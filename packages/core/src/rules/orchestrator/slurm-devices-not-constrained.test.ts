import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { slurmDevicesNotConstrained } from './slurm-devices-not-constrained.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when a job sees more than it asked for',
    'fault likely',
    '$ srun --gres=gpu:1 nvidia-smi -L\nGPU 0: NVIDIA A100 (UUID: GPU-00000000-0000-0000-0000-000000000001)\nGPU 1: NVIDIA A100 (UUID: GPU-00000000-0000-0000-0000-000000000002)',
  ],
  ['fault possible on the setting alone', 'fault possible', 'ConstrainDevices=no'],
  [
    'cleared when a job sees what it asked for',
    'cleared',
    '$ srun --gres=gpu:1 nvidia-smi -L\nGPU 0: NVIDIA A100 (UUID: GPU-00000000-0000-0000-0000-000000000001)',
  ],
  ['silent without Slurm', 'silent', 'CUDA error: invalid device ordinal'],
];

describe('orchestrator/slurm-devices-not-constrained', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(slurmDevicesNotConstrained, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
