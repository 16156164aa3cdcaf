import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okTrainingWithEvaluation } from './ok-training-with-evaluation.ts';

describe('ok/ok-training-with-evaluation', () => {
  it.each(healthy['ok-training-with-evaluation']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okTrainingWithEvaluation, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-training-with-evaluation' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-training-with-evaluation']!;
    expect(outcomeOf(okTrainingWithEvaluation, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-training-with-evaluation');
  });
});
