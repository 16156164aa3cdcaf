import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { slurmGresCountMismatch } from './slurm-gres-count-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
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
];

describe('orchestrator/slurm-gres-count-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(slurmGresCountMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
