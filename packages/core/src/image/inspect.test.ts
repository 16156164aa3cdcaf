import { describe, expect, it } from 'vitest';
import { inspectImage } from './report.ts';
import { samples } from './samples.ts';

describe('usual images', () => {
  it.each(Object.entries(samples))('%s is not accused', (name, make) => {
    const { report, verdict } = inspectImage(make());
    expect(
      report.findings.filter((each) => each.certainty !== 'possible').map((each) => [each.rule, each.message]),
    ).toEqual([]);
    expect(verdict.status, verdict.headline).toBe('ok');
  });
});
