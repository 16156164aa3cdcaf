import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { clockSkew } from './clock-skew.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault proved on minutes', 'fault proved', 'chronyd[811]: System clock wrong by 412.310291 seconds'],
  [
    'fault proved on an expired credential',
    'fault proved',
    'slurmctld: error: Munge decode failed: Expired credential',
  ],
  ['fault likely on Kerberos', 'fault likely', 'kinit: Clock skew too great while getting initial credentials'],
  ['cleared on a fraction', 'cleared', 'chronyd[811]: System clock wrong by 0.2 seconds'],
];

describe('host-os/clock-skew', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(clockSkew, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
