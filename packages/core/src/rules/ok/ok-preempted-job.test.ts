import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okPreemptedJob } from './ok-preempted-job.ts';

describe('ok/ok-preempted-job', () => {
  it.each(healthy['ok-preempted-job']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okPreemptedJob, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-preempted-job' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-preempted-job']!;
    expect(outcomeOf(okPreemptedJob, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-preempted-job');
  });
});
