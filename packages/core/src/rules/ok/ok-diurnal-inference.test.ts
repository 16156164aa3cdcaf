import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okDiurnalInference } from './ok-diurnal-inference.ts';

describe('ok/ok-diurnal-inference', () => {
  it.each(healthy['ok-diurnal-inference']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okDiurnalInference, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-diurnal-inference' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-diurnal-inference']!;
    expect(outcomeOf(okDiurnalInference, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-diurnal-inference');
  });
});
