import { metrics } from './metrics.rows.ts';

const width = metrics.length;
const reasons = metrics.findIndex((row) => row.id === 'reasons');

/** Most stretches of a history; twice as long ones when these are full. */
const mostStretches = 512;

/**
 * Sums, least and most of each metric over stretches of time, by one clock. Its length is bounded: a longer history has
 * longer stretches.
 */
export class HistoryGrid {
  private readonly sums = new Float64Array(mostStretches * width);
  private readonly counts = new Int32Array(mostStretches * width);
  private readonly lowest = new Float32Array(mostStretches * width).fill(Number.POSITIVE_INFINITY);
  private readonly highest = new Float32Array(mostStretches * width).fill(Number.NEGATIVE_INFINITY);
  start: number = Number.NaN;
  stretch = 1;
  used = 0;

  /** The place of a time, for `put`; -1 where it is none. */
  at(seconds: number): number {
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

  put(at: number, metric: number, value: number): void {
    const place = at * width + metric;
    this.sums[place]! += value;
    this.counts[place]!++;
    if (value < this.lowest[place]!) this.lowest[place] = value;
    // Of the mask every bit counts that was set at any time.
    if (metric === reasons) this.highest[place] = Math.max(0, this.highest[place]!) | value;
    else if (value > this.highest[place]!) this.highest[place] = value;
  }

  /** Seconds from the beginning of the first stretch to the end of the last. */
  get span(): number {
    return this.used * this.stretch;
  }

  /** True where some stretch has a value of the metric. */
  has(metric: number): boolean {
    for (let at = 0; at < this.used; at++) if (this.counts[at * width + metric]! > 0) return true;
    return false;
  }

  /** Takes what another grid holds, whose times are so many seconds behind the ones here. */
  take(other: HistoryGrid, shift: number): void {
    if (other.used === 0) return;
    // Stretches of one length fall into each other as wholes.
    while (this.stretch < other.stretch) this.halve();
    // Room is made first: what makes room moves places.
    this.at(other.start + shift);
    this.at(other.start + shift + other.span - other.stretch);
    for (let from = 0; from < other.used; from++) {
      const to = this.at(other.start + shift + from * other.stretch);
      if (to < 0) continue;
      for (let metric = 0; metric < width; metric++) {
        const [source, place] = [from * width + metric, to * width + metric];
        if (other.counts[source] === 0) continue;
        this.sums[place]! += other.sums[source]!;
        this.counts[place]! += other.counts[source]!;
        this.lowest[place] = Math.min(this.lowest[place]!, other.lowest[source]!);
        const [a, b] = [this.highest[place]!, other.highest[source]!];
        this.highest[place] = metric === reasons && a >= 0 && b >= 0 ? a | b : Math.max(a, b);
      }
    }
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

  /** Means of a metric over the stretches; null where it has no sample. */
  means(metric: number): readonly (number | null)[] {
    return Array.from({ length: this.used }, (_, at) => {
      const count = this.counts[at * width + metric]!;
      return count === 0 ? null : this.sums[at * width + metric]! / count;
    });
  }

  /** Least and most of a metric over each stretch, null where it has no sample. */
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
