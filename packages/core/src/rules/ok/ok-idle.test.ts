import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okIdle } from './ok-idle.ts';

describe('ok/ok-idle', () => {
  it.each(healthy['ok-idle']!.map((text, at) => [at + 1, text] as const))('cleared for table %i', (_, text) => {
    expect(outcomeOf(okIdle, text).kind).toBe('cleared');
    expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-idle' });
  });

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-idle']!;
    expect(outcomeOf(okIdle, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-idle');
  });
});
