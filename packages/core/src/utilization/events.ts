import type { SeriesPlace } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';

/** Counters and gauges of which every step is an event, and no mean says anything. */
const watched = [
  'xid',
  'ecc-uncorrected',
  'ecc-uncorrected-ever',
  'remap-failed',
  'remap-pending',
  'rows-remapped',
  'replays',
  'nvlink-crc-flit',
  'nvlink-crc-data',
  'nvlink-replays',
  'nvlink-recoveries',
  'nvlink-moved',
] as const;

export type Watched = (typeof watched)[number];

const columns: readonly number[] = watched.map(metricAt);
const none: readonly SeriesPlace[] = [];

/** Whether every step of a metric, by its place, is an event. */
export function isWatched(metric: number): boolean {
  return columns.includes(metric);
}

/** A value that took the place of another one in the series. */
export interface CounterStep {
  readonly metric: Watched;
  readonly from: number;
  readonly to: number;
  /** When the new value was first seen, and when the old one last was. */
  readonly seconds: number;
  readonly since: number;
  readonly place: SeriesPlace;
}

interface Seen {
  firstSeconds: number;
  first: number;
  firstPlace: SeriesPlace;
  lastSeconds: number;
  last: number;
  /** Sum of what it grew by; a counter that starts again grows by nothing. */
  growth: number;
}

/** Steps and files of one GPU that are kept. */
const mostSteps = 32;
const mostSources = 64;

/**
 * Follows counters of one GPU row by row, in each file by itself: rows of two files that overlap in time say nothing of
 * steps. Constant in memory.
 */
export class CounterEvents {
  private readonly bySource = new Map<object, (Seen | undefined)[]>();
  private readonly kept: CounterStep[] = [];

  take(row: Float64Array, seconds: number, source: object, place: (metric?: number) => SeriesPlace): void {
    let seen: (Seen | undefined)[] | undefined;
    for (let at = 0; at < columns.length; at++) {
      const value = row[columns[at]!]!;
      if (value !== value) continue;
      if (seen === undefined) {
        seen = this.bySource.get(source);
        if (seen === undefined) {
          if (this.bySource.size >= mostSources) return;
          this.bySource.set(source, (seen = []));
        }
      }
      const known = seen[at];
      if (known === undefined) {
        seen[at] = {
          firstSeconds: seconds,
          first: value,
          firstPlace: place(columns[at]),
          lastSeconds: seconds,
          last: value,
          growth: 0,
        };
        continue;
      }
      // Rows that go back in time are of no order that steps could be read from.
      if (seconds < known.lastSeconds) continue;
      if (value !== known.last) {
        if (value > known.last) known.growth += value - known.last;
        this.keep({
          metric: watched[at]!,
          from: known.last,
          to: value,
          seconds,
          since: known.lastSeconds,
          place: place(columns[at]),
        });
      }
      known.last = value;
      known.lastSeconds = seconds;
    }
  }

  /** Takes what was seen of the same GPU under another name. */
  absorb(other: CounterEvents): void {
    for (const [source, seen] of other.bySource)
      if (!this.bySource.has(source) && this.bySource.size < mostSources) this.bySource.set(source, seen);
    for (const step of other.kept) this.keep(step);
  }

  private keep(step: CounterStep): void {
    // The first steps say since when; of one counter a few are enough.
    const same = this.kept.filter(({ metric }) => metric === step.metric).length;
    if (same < 8 && this.kept.length < mostSteps) this.kept.push(step);
  }

  /** Steps of a counter within files, and those between two files of which one ends before the other begins. */
  steps(metric: Watched): readonly CounterStep[] {
    return [...this.kept.filter((step) => step.metric === metric), ...this.between(metric)].toSorted(
      (a, b) => a.seconds - b.seconds,
    );
  }

  private between(metric: Watched): readonly CounterStep[] {
    const parts = this.parts(metric);
    return parts.slice(1).flatMap((part, at) => {
      const earlier = parts[at]!;
      return part.first === earlier.last || part.firstSeconds < earlier.lastSeconds
        ? []
        : [
            {
              metric,
              from: earlier.last,
              to: part.first,
              seconds: part.firstSeconds,
              since: earlier.lastSeconds,
              place: part.firstPlace,
            },
          ];
    });
  }

  private parts(metric: Watched): readonly Seen[] {
    const at = watched.indexOf(metric);
    const found: Seen[] = [];
    for (const seen of this.bySource.values()) if (seen[at] !== undefined) found.push(seen[at]);
    return found.toSorted((a, b) => a.firstSeconds - b.firstSeconds);
  }

  /** What a counter grew by during the series; null where it has fewer than two samples. */
  growth(metric: Watched): number | null {
    const parts = this.parts(metric);
    if (parts.every(({ firstSeconds, lastSeconds }) => firstSeconds === lastSeconds) && parts.length < 2) return null;
    let sum = 0;
    for (const { growth } of parts) sum += growth;
    for (const { from, to } of this.between(metric)) if (to > from) sum += to - from;
    return sum;
  }

  /** The value that stood last; null where none was seen. */
  last(metric: Watched): number | null {
    return this.parts(metric).at(-1)?.last ?? null;
  }

  /** A line that shows the value of a counter. */
  shown(metric: Watched): readonly SeriesPlace[] {
    const place = this.steps(metric)[0]?.place ?? this.parts(metric)[0]?.firstPlace;
    return place === undefined ? none : [place];
  }
}
