import { describe, expect, it } from 'vitest';
import { nearValue, panelColumns } from './panel-columns.ts';
import type { GpuData, MetricData } from './series-data.ts';
import { axisTexts, lengthText, numberText, timeText } from './time-texts.ts';

const metric = (id: string, means: readonly (number | null)[]): MetricData => ({
  id,
  unit: '%',
  what: id,
  samples: means.length,
  min: 0,
  mean: 0,
  max: 0,
  means,
  lowest: null,
  highest: null,
});
const gpu: GpuData = { gpu: '0', called: 'GPU 0', name: null, samples: 0, start: 100, step: 1, metrics: [] };

describe('columns of a picture', () => {
  it('leave out stretches without a sample, so that slow sampling gives one line', () => {
    const { times, columns } = panelColumns(gpu, [metric('a', [1, null, null, 2, null, null, 3])]);
    expect(times).toEqual([100, 103, 106]);
    expect(columns[0]).toEqual([1, 2, 3]);
  });

  it('have a gap where the measuring paused', () => {
    const { columns } = panelColumns(gpu, [metric('a', [1, 2, 3, ...Array.from({ length: 20 }, () => null), 4, 5])]);
    expect(columns[0]).toEqual([1, 2, 3, null, 4, 5]);
  });

  it('bridge a metric that is sampled less often than another', () => {
    const { columns } = panelColumns(gpu, [metric('a', [1, 2, 3]), metric('b', [9, null, 7])]);
    expect(columns[3]).toEqual([9, undefined, 7]);
    expect(nearValue(columns[3]!, 1, 2)).toBe(9);
  });

  it('are empty without samples', () => {
    expect(panelColumns(gpu, [metric('a', [])])).toEqual({ times: [], columns: [[], [], []] });
  });
});

describe('times and numbers', () => {
  it('are those that were printed', () => {
    expect(timeText(1_772_546_531, 'date')).toBe('2026-03-03 14:02:11');
    expect(timeText(50_531, 'time-of-day')).toBe('14:02:11');
    expect(timeText(7, 'samples')).toBe('sample 7');
  });

  it('name the day once', () => {
    expect(axisTexts([1_772_546_400, 1_772_550_000, 1_772_582_400], 'date', 3600)).toEqual([
      '14:00\n2026-03-03',
      '15:00',
      '00:00\n2026-03-04',
    ]);
  });

  it('are short', () => {
    expect(lengthText(7325, 'date')).toBe('2 h 2 min');
    expect(lengthText(90, 'time-of-day')).toBe('1 min 30 s');
    expect([numberText(12_345.6), numberText(3.12719), numberText(0), numberText(99.7)]).toEqual([
      '12,346',
      '3.1',
      '0',
      '100',
    ]);
  });
});
