import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okBurstyInference } from './ok-bursty-inference.ts';

describe('ok/ok-bursty-inference', () => {
  it.each(healthy['ok-bursty-inference']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okBurstyInference, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-bursty-inference' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-bursty-inference']!;
    expect(outcomeOf(okBurstyInference, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-bursty-inference');
  });
});
