import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okCheckpointWrite } from './ok-checkpoint-write.ts';

describe('ok/ok-checkpoint-write', () => {
  it.each(healthy['ok-checkpoint-write']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okCheckpointWrite, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-checkpoint-write' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-checkpoint-write']!;
    expect(outcomeOf(okCheckpointWrite, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-checkpoint-write');
  });
});
