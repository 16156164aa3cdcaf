import type { Micros } from './numbers.ts';

/** Two months in nanoseconds: no profile is longer, and all sums stay exact. */
const longest = 60 * 24 * 3600 * 1e9;

/** Makes nanoseconds from the first time of a trace out of its microseconds, exact to the last digit. */
export class Clock {
  /** The first time that was seen, in whole microseconds. */
  zero: number | null = null;

  /** True where a trace whose first time this is may count from 0. */
  static isNearZero(time: Micros): boolean {
    return Math.abs(time.whole) * 1000 < longest;
  }

  /** @returns nanoseconds from the zero; NaN where it is too far away */
  of(time: Micros): number {
    this.zero ??= time.whole;
    const since = (time.whole - this.zero) * 1000 + time.nanos;
    return since > -longest && since < longest ? since : Number.NaN;
  }

  /** @returns nanoseconds; NaN where no event lasts so long */
  static duration(time: Micros): number {
    const length = time.whole * 1000 + time.nanos;
    return length > -longest && length < longest ? length : Number.NaN;
  }
}
