import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okComputeBound } from './ok-compute-bound.ts';

describe('ok/ok-compute-bound', () => {
  it.each(healthy['ok-compute-bound']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okComputeBound, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-compute-bound' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-compute-bound']!;
    expect(outcomeOf(okComputeBound, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-compute-bound');
  });
});
