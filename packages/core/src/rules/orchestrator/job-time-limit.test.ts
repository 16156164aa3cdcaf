import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jobTimeLimit } from './job-time-limit.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved by accounting',
    'fault proved',
    'JobID|JobName|State|ExitCode|AllocTRES|NodeList\n441207|python|TIMEOUT|0:0|cpu=256,gres/gpu=16|gn[077-078]',
  ],
  [
    'silent when somebody cancelled it',
    'silent',
    'slurmstepd: error: *** JOB 99113 ON gpu-e1 CANCELLED AT 2025-11-18T02:00:00 ***',
  ],
];

describe('orchestrator/job-time-limit', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(jobTimeLimit, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
