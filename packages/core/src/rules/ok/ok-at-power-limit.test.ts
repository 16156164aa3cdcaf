import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okAtPowerLimit } from './ok-at-power-limit.ts';

describe('ok/ok-at-power-limit', () => {
  it.each(healthy['ok-at-power-limit']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okAtPowerLimit, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-at-power-limit' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-at-power-limit']!;
    expect(outcomeOf(okAtPowerLimit, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-at-power-limit');
  });
});
