import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okStreamingInput } from './ok-streaming-input.ts';

describe('ok/ok-streaming-input', () => {
  it.each(healthy['ok-streaming-input']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okStreamingInput, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-streaming-input' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-streaming-input']!;
    expect(outcomeOf(okStreamingInput, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-streaming-input');
  });
});
