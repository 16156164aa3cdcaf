import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okIdleInference } from './ok-idle-inference.ts';

describe('ok/ok-idle-inference', () => {
  it.each(healthy['ok-idle-inference']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okIdleInference, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-idle-inference' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-idle-inference']!;
    expect(outcomeOf(okIdleInference, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-idle-inference');
  });
});
