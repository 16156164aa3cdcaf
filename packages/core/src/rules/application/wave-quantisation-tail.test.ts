import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { waveQuantisationTail } from './wave-quantisation-tail.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for a nearly full last wave',
    'cleared',
    '    Waves Per SM                                            1.96',
  ],
  ['silent without a profile', 'silent', 'hello'],
];

describe('application/wave-quantisation-tail', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(waveQuantisationTail, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
