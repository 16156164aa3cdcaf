import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okMemoryBoundWellUsed } from './ok-memory-bound-well-used.ts';

describe('ok/ok-memory-bound-well-used', () => {
  it.each(healthy['ok-memory-bound-well-used']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okMemoryBoundWellUsed, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-memory-bound-well-used' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-memory-bound-well-used']!;
    expect(outcomeOf(okMemoryBoundWellUsed, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-memory-bound-well-used');
  });
});
