import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuCountWrong } from './gpu-count-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely by a health check',
    'fault likely',
    'ERROR: nhc: Health check failed:  check_gpus: 5 GPUs found, expected 6',
  ],
  [
    'fault proved on a dead device',
    'fault proved',
    '$ lspci | grep -i nvidia\n43:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff)',
  ],
  [
    'unknown on Slurm’s word alone',
    'unknown',
    '   Reason=gres/gpu count reported lower than configured (7 < 8) [slurm@2025-03-03T10:15:22]',
  ],
  ['silent on a count alone', 'silent', '$ nvidia-smi --query-gpu=count --format=csv,noheader\n7'],
];

describe('hardware/gpu-count-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuCountWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
