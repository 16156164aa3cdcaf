import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okFp64Compute } from './ok-fp64-compute.ts';

describe('ok/ok-fp64-compute', () => {
  it.each(healthy['ok-fp64-compute']!.map((text, at) => [at + 1, text] as const))('cleared for table %i', (_, text) => {
    expect(outcomeOf(okFp64Compute, text).kind).toBe('cleared');
    expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-fp64-compute' });
  });

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-fp64-compute']!;
    expect(outcomeOf(okFp64Compute, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-fp64-compute');
  });
});
