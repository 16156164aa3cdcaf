import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okWarmUp } from './ok-warm-up.ts';

describe('ok/ok-warm-up', () => {
  it.each(healthy['ok-warm-up']!.map((text, at) => [at + 1, text] as const))('cleared for table %i', (_, text) => {
    expect(outcomeOf(okWarmUp, text).kind).toBe('cleared');
    expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-warm-up' });
  });

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-warm-up']!;
    expect(outcomeOf(okWarmUp, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-warm-up');
  });
});
