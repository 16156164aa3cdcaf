import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okWellUsed } from './ok-well-used.ts';

describe('ok/ok-well-used', () => {
  it.each(healthy['ok-well-used']!.map((text, at) => [at + 1, text] as const))('cleared for table %i', (_, text) => {
    expect(outcomeOf(okWellUsed, text).kind).toBe('cleared');
    expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-well-used' });
  });

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-well-used']!;
    expect(outcomeOf(okWellUsed, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-well-used');
  });
});
