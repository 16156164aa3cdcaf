import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerMemoryLimit } from './container-memory-limit.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the pod says so',
    'fault proved',
    '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137',
  ],
  [
    'fault proved in a Slurm step',
    'fault proved',
    'slurmstepd: error: Detected 1 oom_kill event in StepId=12345.0. Some of the step tasks have been OOM Killed.',
  ],
  ['silent on the GPU’s memory', 'silent', 'RuntimeError: CUDA out of memory'],
];

describe('application/container-memory-limit', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(containerMemoryLimit, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
