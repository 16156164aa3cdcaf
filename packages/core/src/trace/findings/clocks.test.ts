import { describe, expect, it } from 'vitest';
import type { SampledMetric, TraceFinding } from '../model.ts';
import { TestScene } from '../testing-events.ts';
import { defaultTraceLimits } from '../thresholds.rows.ts';
import { clocks } from './clocks.ts';
import { scenesOf } from './scene.ts';

function found(metric: Partial<SampledMetric>): readonly TraceFinding[] {
  const scene = new TestScene();
  scene.builder.device(0, { clockHz: 1_980_000_000 });
  const sampled = {
    device: 0,
    name: 'GPC Clock Frequency [MHz]',
    unit: null,
    samples: 1000,
    least: 345,
    mean: 1900,
    most: 1980,
  };
  scene.builder.metrics.push({ ...sampled, ...metric });
  return clocks(scenesOf([scene.kernels(50, 1000).finish()])[0]!, defaultTraceLimits);
}

describe('clocks', () => {
  it.each([
    ['in MHz', { least: 1000, mean: 1190, most: 1200 }],
    ['in Hz', { name: 'GPC Clock Frequency', unit: 'Hz', least: 1e9, mean: 1.19e9, most: 1.2e9 }],
    ['without a unit', { name: 'GR clock', unit: null, least: 1000, mean: 1190, most: 1200 }],
  ])('that never come up were set low, %s', (_, metric) => {
    expect(found(metric)[0]).toMatchObject({ cause: 'application-clocks-lowered', kind: 'waste', certainty: 'likely' });
  });

  it('that come up and go down are taken away, by what is not known', () => {
    expect(found({ mean: 1200 })[0]).toMatchObject({ cause: 'power-throttle', kind: 'unclear' });
  });

  it.each([
    ['as they should be', {}],
    ['of the memory', { name: 'DRAM Frequency', mean: 500, most: 500 }],
    ['too few to tell', { samples: 2, mean: 900, most: 900 }],
  ])('are no finding where they are %s', (_, metric) => {
    expect(found(metric)).toEqual([]);
  });
});
