import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { slurmNodeDrained } from './slurm-node-drained.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when a job waits for it',
    'fault likely',
    '  88121       gpu    train     anna PD       0:00      1 (Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions)',
  ],
  [
    'fault proved in sinfo with a reason',
    'fault proved',
    'gpu*         up 7-00:00:00      1  drain gpu07\nKill task failed     root      2025-03-02T02:00:01 gpu07',
  ],
  [
    'silent when the job waits for its turn',
    'silent',
    '  88121       gpu    train     anna PD       0:00      1 (Priority)',
  ],
];

describe('orchestrator/slurm-node-drained', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(slurmNodeDrained, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
