import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okTrainingWithCheckpoints } from './ok-training-with-checkpoints.ts';

describe('ok/ok-training-with-checkpoints', () => {
  it.each(healthy['ok-training-with-checkpoints']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okTrainingWithCheckpoints, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-training-with-checkpoints' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-training-with-checkpoints']!;
    expect(outcomeOf(okTrainingWithCheckpoints, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-training-with-checkpoints');
  });
});
