import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { slurmGresCountMismatch } from './slurm-gres-count-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when a file of gres.conf is one too many',
    'fault proved',
    "slurmd: fatal: can't stat gres.conf file /dev/nvidia7: No such file or directory\n$ ls /dev/nvidia*\n/dev/nvidia0 /dev/nvidia1 /dev/nvidia2 /dev/nvidiactl",
  ],
  [
    'fault possible when no file is known',
    'fault possible',
    "slurmd: fatal: can't stat gres.conf file /dev/nvidia0: No such file or directory",
  ],
  [
    'fault likely on Slurm’s word',
    'fault likely',
    'error: Setting node gpu07 state to INVAL with reason:gres/gpu count reported lower than configured (7 < 8)',
  ],
  [
    'silent elsewhere',
    'silent',
    'sbatch: error: Batch job submission failed: Requested node configuration is not available',
  ],
  [
    'fewer MIG devices than are configured',
    'fault proved',
    'slurmctld: error: Setting node g1 state to INVAL with reason:gres/gpu count reported lower than configured (2 < 7)\n$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5a5ba1c7-3c4d-2f0f-7f5b-9a1b40d0f1aa)\n  MIG 3g.20gb     Device  0: (UUID: MIG-a1)\n  MIG 3g.20gb     Device  1: (UUID: MIG-a2)',
  ],
];

describe('orchestrator/slurm-gres-count-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(slurmGresCountMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
