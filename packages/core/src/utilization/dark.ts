import type { SeriesPlace } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';

/** What no GPU that is measured has at zero. */
const vital = ['power', 'temperature', 'sm-clock', 'memory-clock'].map(metricAt);
/** Of these at least one must be told. */
const telling: ReadonlySet<number> = new Set(['power', 'temperature'].map(metricAt));
/** What must be zero besides. */
const quiet = ['util', 'mem', 'gract', 'smact', 'held', 'rx', 'tx'].map(metricAt);
const profiling = ['gract', 'smact', 'smocc', 'tensor', 'dram', 'fp64', 'fp32', 'fp16'].map(metricAt);
const [util, engine] = [metricAt('util'), metricAt('gract')];

/** Samples of a GPU in which it was not measured, though a number was given for each counter. */
export class DarkSamples {
  /** Samples in which every counter is zero, power and temperature too; and where the first is. */
  blind = 0;
  firstBlind: SeriesPlace | null = null;
  /** Busy samples in which every profiling counter is zero, the engine too; and where the first is. */
  unprofiled = 0;
  firstUnprofiled: SeriesPlace | null = null;
  /** Samples that were measured, and busy ones of which the profiling counters were. */
  measured = 0;
  profiled = 0;

  /** Takes a sample. @returns whether it was not measured at all */
  isBlind(row: Float64Array, place: () => SeriesPlace): boolean {
    let told = false;
    for (const metric of vital) {
      const value = row[metric]!;
      if (value > 0) return this.isMeasured();
      if (value === 0 && telling.has(metric)) told = true;
    }
    let zeros = 0;
    for (const metric of quiet) {
      const value = row[metric]!;
      if (value > 0) return this.isMeasured();
      if (value === 0) zeros++;
    }
    // A row that lost its power and is zero besides is no other than those before.
    if (!told && (this.blind === 0 || zeros < 3)) return this.isMeasured();
    this.blind++;
    this.firstBlind ??= place();
    return true;
  }

  /** Takes a sample. @returns whether it is busy and none of its profiling counters was read */
  isUnprofiled(row: Float64Array, busy: number, place: () => SeriesPlace): boolean {
    // The engine is busy whenever any kernel runs.
    if (!(row[util]! >= busy) || Number.isNaN(row[engine]!)) return false;
    if (profiling.some((metric) => row[metric]! > 0)) {
      this.profiled++;
      return false;
    }
    this.unprofiled++;
    this.firstUnprofiled ??= place();
    return true;
  }

  private isMeasured(): false {
    this.measured++;
    return false;
  }

  take(other: DarkSamples): void {
    this.blind += other.blind;
    this.firstBlind ??= other.firstBlind;
    this.unprofiled += other.unprofiled;
    this.firstUnprofiled ??= other.firstUnprofiled;
    this.measured += other.measured;
    this.profiled += other.profiled;
  }
}

/** Takes the profiling counters out of a row. */
export function withoutProfiling(row: Float64Array): void {
  for (const metric of profiling) row[metric] = Number.NaN;
}

export const profilingMetrics: readonly number[] = profiling;
