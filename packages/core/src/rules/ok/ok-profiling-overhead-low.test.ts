import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okProfilingOverheadLow } from './ok-profiling-overhead-low.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when it costs much',
    'silent',
    'claim: DCGM_FI_PROF_SM_ACTIVE slows the jobs down\nmeasured: 512 steps: 148.42 s with, 118.31 s without',
  ],
  ['silent without a measurement', 'silent', 'claim: DCGM_FI_PROF_SM_ACTIVE slows the jobs down'],
];

describe('ok/ok-profiling-overhead-low', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okProfilingOverheadLow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
