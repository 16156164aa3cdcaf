import type { SeriesFinding } from './finding.ts';
import { findingsOf } from './findings.ts';
import type { GpuSeries } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';
import type { Condition, MarkRow } from './marks.rows.ts';
import { marks as markRows } from './marks.rows.ts';
import { metrics } from './metrics.rows.ts';
import type { SeriesSet } from './series-set.ts';
import type { Thresholds } from './thresholds.rows.ts';
import { viewOf } from './view.ts';

/** A number for each stretch of a history; null where nothing was measured. */
export type Values = readonly (number | null)[];

export interface MetricData {
  readonly id: string;
  readonly unit: string;
  readonly what: string;
  readonly samples: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  readonly means: Values;
  /** Least and most of each stretch; null where they are the means. Of `reasons` the most is every bit that was set. */
  readonly lowest: Values | null;
  readonly highest: Values | null;
}

export interface GpuData {
  readonly gpu: string;
  /** As a sentence names it: `GPU 3`. */
  readonly called: string;
  readonly name: string | null;
  readonly samples: number;
  /** Seconds at which the first stretch begins, and how long each is; by the clock that `SeriesData.clock` names. */
  readonly start: number;
  readonly step: number;
  readonly metrics: readonly MetricData[];
}

/** A stretch of time in which what was found holds on a GPU. */
export interface Mark {
  readonly gpu: string;
  readonly from: number;
  readonly to: number;
}

export interface FindingData {
  readonly cause: string;
  readonly kind: SeriesFinding['kind'];
  readonly certainty: SeriesFinding['certainty'];
  readonly message: string;
  readonly gpus: readonly string[];
  readonly measured: SeriesFinding['measured'];
  /** Metrics that show it. */
  readonly metrics: readonly string[];
  readonly marks: readonly Mark[];
  /** Thresholds of these metrics, to be drawn beside them. */
  readonly lines: readonly { readonly metric: string; readonly threshold: string; readonly value: number }[];
}

/** Time lines of GPUs and what was found on them. JSON shape of `culprit/series@1`. */
export interface SeriesData {
  readonly schema: 'culprit/series@1';
  /** What times count: seconds since 1970 as printed, since midnight, or samples where no time was printed. */
  readonly clock: 'date' | 'time-of-day' | 'samples';
  readonly gpus: readonly GpuData[];
  readonly findings: readonly FindingData[];
  readonly thresholds: Thresholds;
  /** GPUs that are not here. */
  readonly left: number;
}

const mostMarks = 64;

/**
 * The histories of a set with its findings marked on them.
 * @param most numbers that all histories together may have; longer stretches are taken, and then fewer GPUs
 */
export function seriesData(set: SeriesSet, most: number): SeriesData {
  const all = [...set.gpus.values()];
  const perGpu = (gpu: GpuSeries): number => gpu.all.filter((each) => each.count > 0).length * 3;
  const shown = all.slice(0, Math.max(1, Math.floor(most / (64 * Math.max(3, ...all.map(perGpu))))));
  const width = shown.reduce((sum, gpu) => sum + perGpu(gpu), 0);
  const length = Math.max(0, ...shown.map((gpu) => gpu.grid.length));
  let merge = 1;
  while (width * Math.ceil(length / merge) > most && merge < length) merge *= 2;
  const gpus = shown.map((series) => gpuData(series, set, merge));
  const ids = new Set(gpus.map(({ gpu }) => gpu));
  return {
    schema: 'culprit/series@1',
    clock: clockOf(set, all),
    gpus,
    findings: findingsOf(set).map((found) => findingData(found, set, ids)),
    thresholds: set.thresholds,
    left: all.length - shown.length,
  };
}

function clockOf(set: SeriesSet, all: readonly GpuSeries[]): SeriesData['clock'] {
  const starts = all.map((gpu) => gpu.grid.start).filter((start) => !Number.isNaN(start));
  if (starts.some((start) => start >= 1e8)) return 'date';
  // Rows without a time are counted from 0 or 1.
  return starts.every((start) => start <= 1) || [...set.kinds].every((kind) => kind === 'exporter')
    ? 'samples'
    : 'time-of-day';
}

function gpuData(series: GpuSeries, set: SeriesSet, merge: number): GpuData {
  const { start, stretch } = series.grid;
  return {
    gpu: series.id,
    called: viewOf(series, set).called,
    name: series.name,
    samples: series.rows,
    start: Number.isNaN(start) ? 0 : round(start),
    step: stretch * merge,
    metrics: metrics.flatMap(({ id, unit, what }) => {
      const at = metricAt(id);
      const running = series.all[at]!;
      if (running.count === 0) return [];
      const bits = id === 'reasons';
      const means = merged(series.history(at), merge, mean);
      const { lowest, highest } = series.extremes(at);
      const low = merged(lowest, merge, (values) => Math.min(...values));
      const high = merged(highest, merge, (values) =>
        bits ? values.reduce((sum, value) => sum | value, 0) : Math.max(...values),
      );
      const flat = !bits && means.every((value, place) => value === low[place] && value === high[place]);
      return [
        {
          id,
          unit,
          what,
          samples: running.count,
          min: round(running.min),
          mean: round(running.mean),
          max: round(running.max),
          means,
          lowest: flat ? null : low,
          highest: flat ? null : high,
        },
      ];
    }),
  };
}

function merged(values: Values, by: number, join: (values: readonly number[]) => number): Values {
  const out: (number | null)[] = [];
  for (let at = 0; at < values.length; at += by) {
    const known = values.slice(at, at + by).filter((value) => value !== null);
    out.push(known.length === 0 ? null : round(join(known)));
  }
  return out;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function findingData(found: SeriesFinding, set: SeriesSet, ids: ReadonlySet<string>): FindingData {
  const row = markRows.find((each) => each.cause === found.cause);
  const { cause, kind, certainty, message, gpus, measured } = found;
  return {
    cause,
    kind,
    certainty,
    message,
    gpus,
    measured,
    metrics: row?.on ?? ['util'],
    marks: kind === 'healthy' ? [] : gpus.filter((gpu) => ids.has(gpu)).flatMap((gpu) => marksOf(gpu, set, row)),
    lines:
      row === undefined || kind === 'healthy'
        ? []
        : row.all.flatMap(({ metric, than, of }) =>
            typeof than === 'string' && of === undefined
              ? [{ metric, threshold: than, value: set.thresholds[than]! }]
              : [],
          ),
  };
}

/** Stretches of a GPU's history in which the conditions of a cause hold; the whole history where they are not known. */
function marksOf(gpu: string, set: SeriesSet, row: MarkRow | undefined): readonly Mark[] {
  const series = set.gpus.get(gpu);
  if (series === undefined || series.grid.length === 0) return [];
  const { start, stretch, length } = series.grid;
  const whole: readonly Mark[] = [{ gpu, from: round(start), to: round(start + stretch * length) }];
  if (row === undefined) return whole;
  const held = holds(series, set.thresholds, row);
  let runs: { from: number; to: number }[] = [];
  held.forEach((yes, at) => {
    if (!yes) return;
    const last = runs.at(-1);
    if (last !== undefined && last.to === at) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  });
  for (let gap = 1; runs.length > mostMarks; gap *= 2) {
    const joined: { from: number; to: number }[] = [];
    for (const run of runs) {
      const last = joined.at(-1);
      if (last !== undefined && run.from - last.to <= gap) last.to = run.to;
      else joined.push({ ...run });
    }
    runs = joined;
  }
  return runs.length === 0
    ? whole
    : runs.map(({ from, to }) => ({ gpu, from: round(start + from * stretch), to: round(start + to * stretch) }));
}

function holds(series: GpuSeries, thresholds: Thresholds, row: MarkRow): readonly boolean[] {
  const held = Array.from({ length: series.grid.length }, () => true);
  for (const condition of row.all) {
    const limit = typeof condition.than === 'string' ? thresholds[condition.than]! : condition.than;
    const values = valuesOf(series, condition);
    values.forEach((value, at) => {
      const known = condition.whereKnown === true ? value === null || is(value, condition.is, limit) : null;
      if (known === null ? value === null || !is(value, condition.is, limit) : !known) held[at] = false;
    });
  }
  if (row.bits !== undefined) {
    const masks = series.extremes(metricAt('reasons')).highest;
    if (masks.some((mask) => mask !== null))
      masks.forEach((mask, at) => {
        if (mask === null || (mask & row.bits!) === 0) held[at] = false;
      });
  }
  // Where nothing at all was measured nothing holds.
  const measured = series.history(metricAt('util'));
  if (row.all.length > 0 && row.all.every((condition) => condition.whereKnown === true))
    measured.forEach((value, at) => {
      if (value === null) held[at] = false;
    });
  return held;
}

function valuesOf(series: GpuSeries, { metric, at, of }: Condition): Values {
  const place = metricAt(metric);
  const values = at === undefined ? series.history(place) : series.extremes(place)[at];
  if (of === undefined) return values;
  const whole = series.all[metricAt(of)]!;
  const most = whole.count > 0 ? whole.max : series.all[place]!.max;
  return values.map((value) => (value === null || most <= 0 ? null : (100 * value) / most));
}

function is(value: number, sign: Condition['is'], limit: number): boolean {
  switch (sign) {
    case '>=':
      return value >= limit;
    case '<=':
      return value <= limit;
    case '<':
      return value < limit;
    case '>':
      return value > limit;
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
