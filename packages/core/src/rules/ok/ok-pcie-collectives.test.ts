import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okPcieCollectives } from './ok-pcie-collectives.ts';

describe('ok/ok-pcie-collectives', () => {
  it.each(healthy['ok-pcie-collectives']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okPcieCollectives, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-pcie-collectives' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-pcie-collectives']!;
    expect(outcomeOf(okPcieCollectives, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-pcie-collectives');
  });
});
