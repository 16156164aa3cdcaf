import { metrics } from './metrics.rows.ts';

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

/** An empty row: every value unknown. */
export function emptyRow(): Float64Array {
  return new Float64Array(width).fill(Number.NaN);
}

/** Most stretches of a history; twice as long ones when these are full. */
const mostStretches = 512;

/** Levels between which a GPU is neither at work nor waiting. */
const [low, high] = [15, 60];

/** Count, mean, deviation, extremes: running, nothing else is kept. */
export class Running {
  count = 0;
  mean = 0;
  min: number = Number.POSITIVE_INFINITY;
  max: number = Number.NEGATIVE_INFINITY;
  first: number = Number.NaN;
  last: number = Number.NaN;
  private squares = 0;

  add(value: number): void {
    if (this.count === 0) this.first = value;
    this.last = value;
    this.count++;
    const off = value - this.mean;
    this.mean += off / this.count;
    this.squares += off * (value - this.mean);
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  get deviation(): number {
    return this.count < 2 ? 0 : Math.sqrt(this.squares / this.count);
  }
}

/** How a GPU goes up and down: stretches of work and of waiting. */
export interface Rhythm {
  readonly waits: number;
  /** Samples in waits that had work before and after them. */
  readonly waiting: number;
  readonly longestWait: number;
  /** From the start of a wait to that of the next. */
  readonly period: Running;
  /** Samples before the first work, and after the last. */
  readonly before: number;
  readonly after: number;
  readonly samples: number;
}

/**
 * What is kept of one GPU: running statistics of each metric (of all samples and of the busy ones), the rhythm of its
 * utilisation, and a history of bounded length. Memory does not grow with the number of rows.
 */
export class GpuSeries {
  readonly id: string;
  readonly all: readonly Running[] = metrics.map(() => new Running());
  readonly busy: readonly Running[] = metrics.map(() => new Running());
  /** Busy samples in which each reason for low clocks was active, by bit; and those that told reasons. */
  readonly reasonBits: Int32Array = new Int32Array(32);
  reasonRows = 0;
  rows = 0;
  readonly quoted: Map<string, SeriesPlace> = new Map();
  name: string | null = null;

  private readonly sums = new Float64Array(mostStretches * width);
  private readonly counts = new Int32Array(mostStretches * width);
  private readonly lowest = new Float32Array(mostStretches * width).fill(Number.POSITIVE_INFINITY);
  private readonly highest = new Float32Array(mostStretches * width).fill(Number.NEGATIVE_INFINITY);
  private start = Number.NaN;
  private stretch = 1;
  private used = 0;

  private rhythmSource: object | null = null;
  private working: boolean | null = null;
  private stretchFrom = 0;
  private samples = 0;
  private lastWork = -1;
  private firstWork = -1;
  private waits = 0;
  private waiting = 0;
  private longestWait = 0;
  private waitStart = -1;
  private readonly period = new Running();
  private pairs = 0;
  private meanUtil = 0;
  private meanCopies = 0;
  private together = 0;
  private utilSquares = 0;
  private copySquares = 0;

  constructor(id: string) {
    this.id = id;
  }

  /**
   * Takes one sample.
   * @param row its values in the order of the metrics; NaN is unknown
   * @param seconds when, since any beginning
   * @param source the table it is from: the rhythm is that of one table
   * @param threshold utilisation from which a sample counts as busy
   */
  add(row: Float64Array, seconds: number, source: object, threshold: number): void {
    this.rows++;
    const load = row[util]!;
    const isBusy = load >= threshold;
    const at = this.stretchOf(seconds);
    for (let m = 0; m < width; m++) {
      const value = row[m]!;
      if (value !== value) continue;
      this.all[m]!.add(value);
      if (isBusy) this.busy[m]!.add(value);
      if (at >= 0) {
        const place = at * width + m;
        this.sums[place]! += value;
        this.counts[place]!++;
        if (value < this.lowest[place]!) this.lowest[place] = value;
        // Of the mask every bit counts that was set at any time.
        if (m === reasons) this.highest[place] = Math.max(0, this.highest[place]!) | value;
        else if (value > this.highest[place]!) this.highest[place] = value;
      }
    }
    const mask = row[reasons]!;
    if (mask === mask && (isBusy || load !== load)) {
      this.reasonRows++;
      for (let bit = 0; bit < 12; bit++) if (Math.floor(mask / 2 ** bit) % 2 === 1) this.reasonBits[bit]!++;
    }
    if (load === load) this.beat(load, row[rx]! + row[tx]!, source);
  }

  private beat(load: number, copies: number, source: object): void {
    this.rhythmSource ??= source;
    if (this.rhythmSource !== source) return;
    const now = this.samples++;
    if (copies === copies) {
      this.pairs++;
      const [offUtil, offCopies] = [load - this.meanUtil, copies - this.meanCopies];
      this.meanUtil += offUtil / this.pairs;
      this.meanCopies += offCopies / this.pairs;
      this.together += offUtil * (copies - this.meanCopies);
      this.utilSquares += offUtil * (load - this.meanUtil);
      this.copySquares += offCopies * (copies - this.meanCopies);
    }
    if (load >= high) {
      if (this.working === false && this.firstWork >= 0) {
        const lasted = now - this.stretchFrom;
        this.waits++;
        this.waiting += lasted;
        if (lasted > this.longestWait) this.longestWait = lasted;
      }
      if (this.working !== true) this.stretchFrom = now;
      this.working = true;
      if (this.firstWork < 0) this.firstWork = now;
      this.lastWork = now;
    } else if (load <= low) {
      if (this.working === true) {
        if (this.waitStart >= 0) this.period.add(now - this.waitStart);
        this.waitStart = now;
      }
      if (this.working !== false) this.stretchFrom = now;
      this.working = false;
    } else if (this.working === true) this.lastWork = now;
  }

  get rhythm(): Rhythm {
    return {
      waits: this.waits,
      waiting: this.waiting,
      longestWait: this.longestWait,
      period: this.period,
      before: Math.max(0, this.firstWork),
      after: this.firstWork < 0 ? 0 : this.samples - 1 - this.lastWork,
      samples: this.samples,
    };
  }

  /** How utilisation and PCIe traffic go together: -1 take turns, 1 rise together; null where not both are known. */
  get turns(): number | null {
    const size = Math.sqrt(this.utilSquares * this.copySquares);
    return this.pairs < 10 || size < 1e-9 ? null : this.together / size;
  }

  private stretchOf(seconds: number): number {
    if (!Number.isFinite(seconds)) return -1;
    if (Number.isNaN(this.start)) this.start = seconds;
    if (seconds < this.start) {
      // A second file begins earlier than the first one.
      let shift = Math.ceil((this.start - seconds) / this.stretch);
      while (shift + this.used > mostStretches) {
        this.halve();
        shift = Math.ceil((this.start - seconds) / this.stretch);
      }
      this.sums.copyWithin(shift * width, 0, this.used * width);
      this.counts.copyWithin(shift * width, 0, this.used * width);
      this.lowest.copyWithin(shift * width, 0, this.used * width);
      this.highest.copyWithin(shift * width, 0, this.used * width);
      this.clear(0, shift * width);
      this.start -= shift * this.stretch;
      this.used += shift;
    }
    let at = Math.floor((seconds - this.start) / this.stretch);
    while (at >= mostStretches) {
      this.halve();
      at = Math.floor((seconds - this.start) / this.stretch);
    }
    if (at >= this.used) this.used = at + 1;
    return at;
  }

  private halve(): void {
    const { sums, counts, lowest, highest } = this;
    for (let at = 0; at < mostStretches; at += 2)
      for (let m = 0; m < width; m++) {
        const to = (at >> 1) * width + m;
        const [one, other] = [at * width + m, (at + 1) * width + m];
        sums[to] = sums[one]! + sums[other]!;
        counts[to] = counts[one]! + counts[other]!;
        lowest[to] = Math.min(lowest[one]!, lowest[other]!);
        const [a, b] = [highest[one]!, highest[other]!];
        highest[to] = m === reasons && a >= 0 && b >= 0 ? a | b : Math.max(a, b);
      }
    this.clear((mostStretches >> 1) * width, mostStretches * width);
    this.stretch *= 2;
    this.used = (this.used + 1) >> 1;
  }

  private clear(from: number, to: number): void {
    this.sums.fill(0, from, to);
    this.counts.fill(0, from, to);
    this.lowest.fill(Number.POSITIVE_INFINITY, from, to);
    this.highest.fill(Number.NEGATIVE_INFINITY, from, to);
  }

  /** Seconds of one stretch of the history, and the time of its first. */
  get grid(): { readonly start: number; readonly stretch: number; readonly length: number } {
    return { start: this.start, stretch: this.stretch, length: this.used };
  }

  /** Means of a metric over the stretches; null where it has no sample. */
  history(metric: number): readonly (number | null)[] {
    return Array.from({ length: this.used }, (_, at) => {
      const count = this.counts[at * width + metric]!;
      return count === 0 ? null : this.sums[at * width + metric]! / count;
    });
  }

  /** Least and most of a metric over each stretch, null where it has no sample; of the mask of reasons the most is every bit that was set. */
  extremes(metric: number): {
    readonly lowest: readonly (number | null)[];
    readonly highest: readonly (number | null)[];
  } {
    const of = (values: Float32Array): readonly (number | null)[] =>
      Array.from({ length: this.used }, (_, at) =>
        this.counts[at * width + metric] === 0 ? null : values[at * width + metric]!,
      );
    return { lowest: of(this.lowest), highest: of(this.highest) };
  }
}
