import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okTwoJobs } from './ok-two-jobs.ts';

describe('ok/ok-two-jobs', () => {
  it.each(healthy['ok-two-jobs']!.map((text, at) => [at + 1, text] as const))('cleared for table %i', (_, text) => {
    expect(outcomeOf(okTwoJobs, text).kind).toBe('cleared');
    expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-two-jobs' });
  });

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-two-jobs']!;
    expect(outcomeOf(okTwoJobs, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-two-jobs');
  });
});
