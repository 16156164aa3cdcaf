import { metricAt } from './gpu-series.ts';
import { metrics } from './metrics.rows.ts';
import type { SeriesSet } from './series-set.ts';

/** One counter of one GPU in two series. */
export interface SeriesChange {
  readonly gpu: string;
  readonly metric: string;
  readonly unit: string;
  /** Mean while busy, or of all samples where nothing was; null where it was not measured. */
  readonly before: number | null;
  readonly after: number | null;
  readonly changed: boolean;
}

/** What must differ for a change: a tenth of the value, and more than twice the deviation of its mean. */
const least = 0.1;

/** Compares two series GPU by GPU: what changed first, then what stayed equal. */
export function compareSeries(before: SeriesSet, after: SeriesSet): readonly SeriesChange[] {
  const ids = [...new Set([...before.gpus.keys(), ...after.gpus.keys()])];
  const all = ids.flatMap((gpu) =>
    metrics.flatMap(({ id, unit }) => {
      if (id === 'reasons' || id === 'xid') return [];
      const at = metricAt(id);
      const [one, other] = [before, after].map((set) => {
        const series = set.gpus.get(gpu);
        const running = series?.busy[at]?.count ? series.busy[at] : series?.all[at];
        return running === undefined || running.count === 0 ? null : running;
      });
      if (one == null && other == null) return [];
      const [a, b] = [one?.mean ?? null, other?.mean ?? null];
      const scale = Math.max(Math.abs(a ?? 0), Math.abs(b ?? 0), 1);
      const noise =
        one == null || other == null
          ? 0
          : 2 * Math.hypot(one.deviation / Math.sqrt(one.count), other.deviation / Math.sqrt(other.count));
      const difference = Math.abs((a ?? 0) - (b ?? 0));
      const changed = a === null || b === null || (difference > least * scale && difference > noise && difference > 1);
      return [{ gpu, metric: id, unit, before: a, after: b, changed }];
    }),
  );
  return all.toSorted((a, b) => Number(b.changed) - Number(a.changed));
}
