import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { silentDataCorruption } from './silent-data-corruption.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault proved on miscompares', 'fault proved', 'Detected 14 miscompares on GPU 3'],
  ['only possible on a loss', 'fault possible', 'step 18211 | loss: nan | grad_norm: nan'],
  ['only possible on wrong elements', 'fault possible', '# Out of bounds values : 12 FAILED'],
  ['silent on a good loss', 'silent', 'step 18211 | loss: 2.31 | grad_norm: 0.9'],
];

describe('hardware/silent-data-corruption', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(silentDataCorruption, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
