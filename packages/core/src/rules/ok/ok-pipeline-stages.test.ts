import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okPipelineStages } from './ok-pipeline-stages.ts';

describe('ok/ok-pipeline-stages', () => {
  it.each(healthy['ok-pipeline-stages']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okPipelineStages, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-pipeline-stages' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-pipeline-stages']!;
    expect(outcomeOf(okPipelineStages, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-pipeline-stages');
  });
});
