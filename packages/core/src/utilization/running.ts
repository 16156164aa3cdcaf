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
    // What never changes costs next to nothing: most columns of a table are such.
    if (value === this.last && this.squares === 0) {
      this.count++;
      return;
    }
    if (this.count === 0) this.first = value;
    this.last = value;
    this.count++;
    const off = value - this.mean;
    this.mean += off / this.count;
    this.squares += off * (value - this.mean);
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Takes what another one counted, as if it had come after. */
  take(other: Running): void {
    if (other.count === 0) return;
    if (this.count === 0) this.first = other.first;
    this.last = other.last;
    const count = this.count + other.count;
    const off = other.mean - this.mean;
    this.squares += other.squares + (off * off * this.count * other.count) / count;
    this.mean += (off * other.count) / count;
    this.count = count;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
  }

  get deviation(): number {
    return this.count < 2 ? 0 : Math.sqrt(this.squares / this.count);
  }
}
