import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { podPreempted } from './pod-preempted.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in Slurm',
    'fault proved',
    'slurmstepd: error: *** JOB 551020 ON gpu07 CANCELLED AT 2025-03-02T02:00:01 DUE TO PREEMPTION ***',
  ],
  [
    'silent when the work went on',
    'silent',
    'slurmstepd: error: *** JOB 551020 ON gpu07 CANCELLED AT 2025-03-02T02:00:01 DUE TO PREEMPTION ***\nstep 7010 loss 2.117 1.9 it/s',
  ],
];

describe('orchestrator/pod-preempted', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(podPreempted, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
