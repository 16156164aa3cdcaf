import { describe, expect, it } from 'vitest';
import { GpuSeries, emptyRow, metricAt } from './gpu-series.ts';
import { marks } from './marks.rows.ts';
import { metrics } from './metrics.rows.ts';
import { panels } from './panels.rows.ts';
import { SeriesReader } from './reader.ts';
import { seriesData } from './series-data.ts';
import { SeriesSet } from './series-set.ts';
import { defaultThresholds } from './thresholds.rows.ts';

const head = 'timestamp, index, utilization.gpu [%], power.draw [W], clocks_event_reasons.active';

function setOf(lines: readonly string[]): SeriesSet {
  const set = new SeriesSet();
  const reader = new SeriesReader(set, 'smi.csv');
  [head, ...lines].forEach((line, at) => reader.line(line, at + 1));
  reader.end();
  return set;
}

/** A line for each second from 14:00 on. */
function line(second: number, util: number, reasons = 0, gpu = 0): string {
  const time = new Date(Date.UTC(2026, 2, 3, 14, 0, second)).toISOString();
  return `${time.slice(0, 10).replaceAll('-', '/')} ${time.slice(11, 23)}, ${gpu}, ${util} %, 400 W, 0x${reasons.toString(16)}`;
}

const seconds = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('extremes of a history', () => {
  it('are the least and the most of each stretch, when stretches are joined too', () => {
    const series = new GpuSeries('0');
    const util = metricAt('util');
    for (const second of seconds(2000)) {
      const row = emptyRow();
      row[util] = second === 777 ? 3 : 90 + (second % 10);
      series.add(row, second, series, 50);
    }
    const { lowest, highest } = series.extremes(util);
    const { stretch, length } = series.grid;
    expect(length).toBe(Math.ceil(2000 / stretch));
    expect(lowest.filter((value) => value !== null && value < 90)).toEqual([3]);
    expect(lowest.indexOf(3)).toBe(Math.floor(777 / stretch));
    expect(new Set(highest)).not.toContain(null);
    expect(Math.max(...highest.map((value) => value!))).toBe(99);
  });

  it('of the mask of reasons are all bits that were set', () => {
    const series = new GpuSeries('0');
    const reasons = metricAt('reasons');
    for (const second of seconds(1100)) {
      const row = emptyRow();
      row[reasons] = second % 2 === 0 ? 4 : 32;
      series.add(row, second, series, 50);
    }
    expect(new Set(series.extremes(reasons).highest)).toEqual(new Set([36]));
  });

  it('stay where they were when a second file begins earlier', () => {
    const series = new GpuSeries('0');
    const util = metricAt('util');
    for (const [second, value] of [
      [100, 70],
      [101, 20],
      [90, 50],
    ] as const) {
      const row = emptyRow();
      row[util] = value;
      series.add(row, second, series, 50);
    }
    const { lowest } = series.extremes(util);
    expect(series.grid.start).toBe(90);
    expect([lowest[0], lowest[5], lowest[10], lowest[11]]).toEqual([50, null, 70, 20]);
  });
});

describe('series as data', () => {
  it('marks the stretch in which heat holds the clocks down', () => {
    const data = seriesData(
      setOf(seconds(120).map((second) => line(second, 100, second >= 40 && second < 90 ? 0x20 : 0))),
      1e6,
    );
    const found = data.findings.find(({ cause }) => cause === 'thermal-throttle')!;
    const { start } = data.gpus[0]!;
    expect(found.marks).toEqual([{ gpu: '0', from: start + 40, to: start + 90 }]);
    expect(data.clock).toBe('date');
  });

  it('marks each wait of a GPU that waits for input, and none of a healthy one', () => {
    const waiting = seriesData(setOf(seconds(200).map((second) => line(second, second % 10 < 4 ? 0 : 97))), 1e6);
    const found = waiting.findings.find(({ cause }) => cause === 'input-pipeline-bound')!;
    expect(found.marks).toHaveLength(20);
    expect(found.marks.every(({ from, to }) => to - from === 4)).toBe(true);
    const busy = seriesData(setOf(seconds(200).map((second) => line(second, 97))), 1e6);
    expect(busy.findings.flatMap(({ kind, marks }) => (kind === 'healthy' ? marks : []))).toEqual([]);
  });

  it('bounds its numbers: longer stretches first, then fewer GPUs', () => {
    const lines = seconds(600).flatMap((second) => seconds(32).map((gpu) => line(second, 97, 0, gpu)));
    const set = setOf(lines);
    const count = (most: number): number =>
      seriesData(set, most).gpus.reduce(
        (sum, { metrics }) =>
          sum + metrics.reduce((all, each) => all + each.means.length * (each.highest === null ? 1 : 3), 0),
        0,
      );
    for (const most of [200_000, 50_000, 10_000]) expect(count(most)).toBeLessThanOrEqual(most);
    expect(seriesData(set, 200_000).left).toBe(0);
    expect(seriesData(set, 4000).left).toBeGreaterThan(0);
  });

  it('names the clock of the times', () => {
    const samples = new SeriesSet();
    const reader = new SeriesReader(samples, 'dmon.log');
    ['# gpu    sm', '# Idx     %', ...seconds(20).map(() => '    0    97')].forEach((text, at) =>
      reader.line(text, at + 1),
    );
    reader.end();
    expect(seriesData(samples, 1e6).clock).toBe('samples');
  });
});

describe('tables of pictures', () => {
  const ids = new Set(metrics.map(({ id }) => id));

  it('name metrics and thresholds that exist', () => {
    for (const { all, on, cause } of marks) {
      for (const id of [...on, ...all.map(({ metric }) => metric)]) expect(ids, `${cause}: ${id}`).toContain(id);
      for (const { than } of all) if (typeof than === 'string') expect(defaultThresholds[than], than).toBeDefined();
    }
    for (const { metrics: drawn, limits } of panels)
      for (const id of [...drawn, ...(limits ?? [])]) expect(ids).toContain(id);
  });

  it('have each cause and each metric once', () => {
    expect(new Set(marks.map(({ cause }) => cause)).size).toBe(marks.length);
    const drawn = panels.flatMap(({ metrics: each }) => each);
    expect(new Set(drawn).size).toBe(drawn.length);
  });
});
