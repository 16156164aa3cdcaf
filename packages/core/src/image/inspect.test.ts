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

it('a cache that is of no use takes nothing from the answer', () => {
  const image = samples['nvidia/cuda:12.6.2-base-ubuntu22.04']!();
  expect(
    inspectImage({ ...image, left: ['cache: /c/x.layer is not used; the layer was read anew'] }).verdict.status,
  ).toBe('ok');
});
