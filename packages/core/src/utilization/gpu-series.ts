import { HistoryGrid } from './history-grid.ts';
import { metrics } from './metrics.rows.ts';
import type { Rhythm } from './rhythm.ts';
import { RhythmWatch } from './rhythm.ts';
import { Running } from './running.ts';
import { StillWatch } from './still.ts';

export type { Rhythm } from './rhythm.ts';
export { Running } from './running.ts';

/** A place in a file that a finding may quote. */
export interface SeriesPlace {
  readonly file: string | null;
  readonly line: number;
  readonly text: string;
}

const width = metrics.length;
const places = new Map(metrics.map((row, at) => [row.id, at]));

/** Place of a metric in a row. */
export function metricAt(id: string): number {
  const at = places.get(id);
  if (at === undefined) throw new RangeError(`no metric ${id}`);
  return at;
}

const [util, rx, tx, reasons] = [metricAt('util'), metricAt('rx'), metricAt('tx'), metricAt('reasons')];
const [mem, dram, tensor, power] = [metricAt('mem'), metricAt('dram'), metricAt('tensor'), metricAt('power')];
const [engine, sms] = [metricAt('gract'), metricAt('smact')];
const usualQuietRate = 100;

/** What says whether anything runs: utilisation, and where that is not counted, as under MIG, the engine. */
export function loadOf(row: Float64Array): number {
  const load = row[util]!;
  return load === load ? load : row[engine]!;
}

/** An empty row: every value unknown. */
export function emptyRow(): Float64Array {
  return new Float64Array(width).fill(Number.NaN);
}

/**
 * By which clock samples are timed: `utc` seconds since 1970, `local` the same as the machine's own calendar has them,
 * `day` seconds since midnight of a day that is not told, `count` no clock, one after the other.
 */
export type Clock = 'utc' | 'local' | 'day' | 'count';

interface Source {
  readonly clock: Clock;
  from: number;
  to: number;
  rows: number;
}

const mostSources = 256;

/**
 * What is kept of one GPU: running statistics of each metric (of all samples and of the busy ones), the rhythm of its
 * utilisation, and a history of bounded length for each clock. Memory does not grow with the number of rows.
 */
export class GpuSeries {
  id: string;
  readonly all: Running[] = metrics.map(() => new Running());
  readonly busy: Running[] = metrics.map(() => new Running());
  /** The last stretch in which it is fully used and nothing moves. */
  still: StillWatch;
  /** Busy samples in which each reason for low clocks was active, by bit; and those that told reasons. */
  readonly reasonBits: Int32Array = new Int32Array(32);
  reasonRows = 0;
  readonly quoted: Map<string, SeriesPlace> = new Map();
  /** What the quoted rows have, so that a better one takes their place. */
  readonly marked: { wasBusy: boolean; clock: number; activity: number; traffic: number } = {
    wasBusy: false,
    clock: Number.POSITIVE_INFINITY,
    activity: Number.POSITIVE_INFINITY,
    traffic: 100,
  };
  name: string | null = null;

  private readonly grids = new Map<Clock, HistoryGrid>();
  private main: HistoryGrid | null = null;
  private readonly sources = new Map<object, Source>();
  private lastSource: object | null = null;
  private lastOf: Source | null = null;
  private taken = 0;
  private rhythmSource: object | null = null;
  private watch = new RhythmWatch();

  constructor(id: string, quietRate: number = usualQuietRate) {
    this.id = id;
    this.still = new StillWatch(quietRate);
  }

  /**
   * Takes one sample.
   * @param row its values in the order of the metrics; NaN is unknown
   * @param seconds when, by that clock
   * @param source the table it is from: the rhythm is that of one table
   * @param threshold utilisation from which a sample counts as busy
   */
  add(row: Float64Array, seconds: number, source: object, threshold: number, clock: Clock = 'count'): void {
    this.taken++;
    this.note(source, clock, seconds);
    const load = loadOf(row);
    const isBusy = load >= threshold;
    let grid = this.grids.get(clock);
    if (grid === undefined) {
      this.grids.set(clock, (grid = new HistoryGrid()));
      this.main = null;
    }
    const at = grid.at(seconds);
    for (let m = 0; m < width; m++) {
      const value = row[m]!;
      if (value !== value) continue;
      this.all[m]!.add(value);
      if (isBusy) this.busy[m]!.add(value);
      if (at >= 0) grid.put(at, m, value);
    }
    const mask = row[reasons]!;
    if (mask === mask && (isBusy || load !== load)) {
      this.reasonRows++;
      for (let bit = 0; bit < 12; bit++) if (Math.floor(mask / 2 ** bit) % 2 === 1) this.reasonBits[bit]!++;
    }
    if (load !== load) return;
    this.rhythmSource ??= source;
    if (this.rhythmSource !== source) return;
    this.watch.take(load, row[rx]! + row[tx]!);
    const [copied, read] = [row[mem]!, row[dram]!];
    const memory = copied !== copied ? read : read > copied ? read : copied;
    const [into, out] = [row[rx]!, row[tx]!];
    const traffic = into > out || out !== out ? into : out;
    this.still.take(load, memory, row[tensor]!, traffic, row[power]!, row[sms]!);
  }

  private note(source: object, clock: Clock, seconds: number): void {
    let known = source === this.lastSource ? this.lastOf! : this.sources.get(source);
    if (known === undefined) {
      known = { clock, from: seconds, to: seconds, rows: 0 };
      if (this.sources.size < mostSources) this.sources.set(source, known);
    }
    this.lastSource = source;
    this.lastOf = known;
    known.rows++;
    if (seconds < known.from) known.from = seconds;
    if (seconds > known.to) known.to = seconds;
  }

  /** All rows that were taken, of every tool. */
  get taking(): number {
    return this.taken;
  }

  /**
   * Samples of the GPU: tables that tell of the same time (dmon beside a query loop) count once, those that come after
   * each other add up.
   */
  get rows(): number {
    if (this.sources.size < 2) return this.taken;
    let sum = 0;
    const clocks = new Map<Clock, Source[]>();
    for (const source of this.sources.values()) clocks.set(source.clock, [...(clocks.get(source.clock) ?? []), source]);
    // What tells the time differently may be the same time.
    for (const list of clocks.values()) {
      let [all, most, end] = [0, 0, Number.NEGATIVE_INFINITY];
      for (const { from, to, rows } of list.toSorted((a, b) => a.from - b.from || b.rows - a.rows)) {
        // The last second of one file may be the first of the next.
        if (from >= end - 1) {
          all += most;
          most = 0;
        }
        most = Math.max(most, rows);
        end = Math.max(end, to);
      }
      sum = Math.max(sum, all + most);
    }
    return sum;
  }

  /** Seconds between two samples of the table that tells the rhythm; null where it has no clock. */
  get step(): number | null {
    const source = this.rhythmSource === null ? undefined : this.sources.get(this.rhythmSource);
    if (source === undefined || source.clock === 'count' || source.rows < 2) return null;
    return (source.to - source.from) / (source.rows - 1);
  }

  get rhythm(): Rhythm {
    return this.watch.rhythm;
  }

  /** How utilisation and PCIe traffic go together: -1 take turns, 1 rise together; null where not both are known. */
  get turns(): number | null {
    return this.watch.turns;
  }

  /** Forgets what was counted of these metrics. */
  forget(metrics: readonly number[]): void {
    for (const metric of metrics) {
      this.all[metric] = new Running();
      this.busy[metric] = new Running();
    }
  }

  /** Takes what was kept under another name of the same GPU. */
  absorb(other: GpuSeries): void {
    other.all.forEach((running, m) => this.all[m]!.take(running));
    other.busy.forEach((running, m) => this.busy[m]!.take(running));
    other.reasonBits.forEach((count, bit) => (this.reasonBits[bit]! += count));
    this.reasonRows += other.reasonRows;
    this.taken += other.taken;
    for (const [source, known] of other.sources) if (this.sources.size < mostSources) this.sources.set(source, known);
    for (const [name, place] of other.quoted)
      if (!this.quoted.has(name) && this.quoted.size < 32) this.quoted.set(name, place);
    this.name ??= other.name;
    for (const [clock, grid] of other.grids) {
      const own = this.grids.get(clock);
      if (own === undefined) this.grids.set(clock, grid);
      else own.take(grid, 0);
    }
    if (other.watch.rhythm.samples > this.watch.rhythm.samples) {
      this.watch = other.watch;
      this.still = other.still;
      this.rhythmSource = other.rhythmSource;
    }
    this.main = null;
  }

  /** Clocks of the samples, each with its span of time. */
  get clocks(): ReadonlyMap<Clock, { readonly from: number; readonly to: number }> {
    return new Map(
      [...this.grids].map(([clock, { start, span }]) => [clock, { from: start, to: start + span }] as const),
    );
  }

  /** Puts the history by one clock into that by another, whose times are so many seconds behind. */
  join(clock: Clock, into: Clock, shift: number): void {
    const [from, to] = [this.grids.get(clock), this.grids.get(into)];
    if (from === undefined || to === undefined) return;
    to.take(from, shift);
    this.grids.delete(clock);
    this.main = null;
  }

  /** The history that tells the utilisation; without one the longest in words. */
  private get told(): HistoryGrid | null {
    if (this.main !== null) return this.main;
    if (this.grids.size < 2) return this.grids.values().next().value ?? null;
    let best: HistoryGrid | null = null;
    for (const grid of this.grids.values())
      if (best === null || (grid.has(util) && (!best.has(util) || grid.used > best.used))) best = grid;
    this.main = best;
    return best;
  }

  /** Seconds of one stretch of the history, and the time of its first. */
  get grid(): { readonly start: number; readonly stretch: number; readonly length: number } {
    const grid = this.told;
    return grid === null
      ? { start: Number.NaN, stretch: 1, length: 0 }
      : { start: grid.start, stretch: grid.stretch, length: grid.used };
  }

  /** Means of a metric over the stretches; null where it has no sample. */
  history(metric: number): readonly (number | null)[] {
    return this.told?.means(metric) ?? [];
  }

  /** Least and most of a metric over each stretch, null where it has no sample; of the mask of reasons the most is every bit that was set. */
  extremes(metric: number): {
    readonly lowest: readonly (number | null)[];
    readonly highest: readonly (number | null)[];
  } {
    return this.told?.extremes(metric) ?? { lowest: [], highest: [] };
  }
}
