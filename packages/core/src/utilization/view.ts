import type { GpuSeries, Rhythm, SeriesPlace } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';
import { boardsByMemoryClock } from './metrics.rows.ts';
import type { CpuUse } from './cpu.ts';
import type { DarkSamples } from './dark.ts';
import type { CounterEvents } from './events.ts';
import type { KeptProcess, SeriesSet } from './series-set.ts';
import type { Thresholds } from './thresholds.rows.ts';

/** One GPU as detectors see it: numbers or null, never 0 for what is not known. */
export interface GpuView {
  readonly id: string;
  readonly series: GpuSeries;
  readonly rows: number;
  readonly rhythm: Rhythm;
  readonly limits: Thresholds;
  /** `GPU 3` as a sentence names it. */
  readonly called: string;
  /** Mean of all samples. */
  mean(metric: string): number | null;
  /** Mean while the GPU was busy; of another file's metric, over the stretches in which it was. */
  busy(metric: string): number | null;
  max(metric: string): number | null;
  min(metric: string): number | null;
  last(metric: string): number | null;
  /** Deviation in percent of the mean. */
  spread(metric: string): number | null;
  /** Mean power while busy, in percent of the limit. */
  readonly powerShare: number | null;
  /** The limit as a sentence names it, which says where it is only concluded from the memory clock. */
  readonly limitCalled: string;
  /** Seconds between two samples; null where they have no clock. */
  readonly step: number | null;
  /** Share of the busy samples (0 to 1) in which a reason bit was active; null where none told reasons. */
  reason(bits: number): number | null;
  /** Lines to quote, the best first. */
  places(...names: readonly string[]): readonly SeriesPlace[];
  /** Processes on it; null where no list of processes spoke of it. */
  readonly processes: readonly KeptProcess[] | null;
  /** Metrics that some table had a column for. */
  readonly columns: ReadonlySet<string>;
  /** Kinds of input of all series. */
  readonly kinds: ReadonlySet<string>;
  /** Use of the CPU, of all processes that a list beside the series names. */
  readonly cpu: readonly CpuUse[];
  /** Samples in which it was not measured. */
  readonly dark: DarkSamples | null;
  /** Steps of its counters. */
  readonly events: CounterEvents | null;
  /** Samples were counted, as nothing had a clock. */
  readonly counted: boolean;
}

export function viewOf(series: GpuSeries, set: SeriesSet): GpuView {
  const limits = set.thresholds;
  const pick = (metric: string): (typeof series.all)[number] => series.all[metricAt(metric)]!;
  const stat = (metric: string, what: 'mean' | 'min' | 'max' | 'last'): number | null => {
    const found = pick(metric);
    return found.count === 0 ? null : found[what];
  };
  const busy = (metric: string): number | null => {
    const found = series.busy[metricAt(metric)]!;
    if (found.count > 0) return found.mean;
    if (pick(metric).count === 0) return null;
    const load = series.history(metricAt('util'));
    const other = series.history(metricAt(metric));
    let [sum, count] = [0, 0];
    other.forEach((value, at) => {
      const now = load[at];
      if (value === null || now === null || now === undefined || now < limits['busy-util']!) return;
      sum += value;
      count++;
    });
    return count === 0 ? null : sum / count;
  };
  const stated = stat('power-limit', 'last') ?? stat('power-default', 'last');
  const clock = stat('memory-clock', 'max');
  const guessed = clock === null ? null : (boardsByMemoryClock.find((row) => row.clock === clock)?.watts ?? null);
  const limit = stated ?? guessed;
  const power = busy('power') ?? stat('power', 'mean');
  const own = set.processes.get(series.id);
  const listed = set.listed.has(series.id) || (set.listed.has(null) && !hasUnplaced(set));
  return {
    id: series.id,
    series,
    rows: series.rows,
    rhythm: series.rhythm,
    limits,
    called: callOf(series.id),
    mean: (metric) => stat(metric, 'mean'),
    busy,
    max: (metric) => stat(metric, 'max'),
    min: (metric) => stat(metric, 'min'),
    last: (metric) => stat(metric, 'last'),
    spread: (metric) => {
      const found = pick(metric);
      return found.count < 2 || found.mean === 0 ? null : (100 * found.deviation) / found.mean;
    },
    powerShare: limit === null || limit <= 0 || power === null ? null : (100 * power) / limit,
    step: series.step,
    limitCalled:
      stated === null && guessed !== null ? `${guessed} W, the usual limit at its memory clock` : 'its power limit',
    reason: (bits) => {
      if (series.reasonRows === 0) return null;
      let most = 0;
      for (let bit = 0; bit < 12; bit++)
        if (Math.floor(bits / 2 ** bit) % 2 === 1) most = Math.max(most, series.reasonBits[bit]!);
      return most / series.reasonRows;
    },
    places: (...names) => {
      const rows = (of: readonly string[]): readonly SeriesPlace[] =>
        of.flatMap((name) => series.quoted.get(name) ?? []);
      // Rows of another time than that of the finding would not show it.
      const own = rows(names);
      const found = own.length > 0 ? own : rows(['busy', 'first', 'idle']);
      return [...new Set(found)].slice(0, 2);
    },
    processes: own === undefined ? (listed ? [] : null) : [...own.values()],
    columns: set.columns,
    kinds: set.kinds,
    cpu: set.cpu,
    dark: set.dark.get(series.id) ?? null,
    events: set.events.get(series.id) ?? null,
    counted: set.counted,
  };
}

function callOf(id: string): string {
  const colon = id.startsWith('GPU-') ? -1 : id.lastIndexOf(':');
  if (/^\d+$/.test(id)) return `GPU ${id}`;
  if (colon > 0) return `GPU ${id.slice(colon + 1)} of ${id.slice(0, colon)}`;
  return id.includes('/gi') ? `GPU ${id.replace('/gi', ', MIG instance ')}` : id;
}

/** Whether processes are listed under a name (UUID, bus address) that leads to no series: they may be those of any GPU. */
function hasUnplaced(set: SeriesSet): boolean {
  return [...set.processes.keys()].some((id) => /^GPU-|^\?$|^[\da-f]{4}:/i.test(id) && !set.gpus.has(id));
}
