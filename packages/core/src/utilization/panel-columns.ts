import type { GpuData, MetricData, Values } from './series-data.ts';

/** Columns of a picture: times, and for each metric its means, least and most. `undefined` is bridged, null is a gap. */
export interface PanelColumns {
  readonly times: readonly number[];
  readonly columns: readonly (readonly (number | null | undefined)[])[];
}

/** A pause this many times as long as usual is a gap in the line. */
const gapFactor = 4;

/** The stretches in which anything of these metrics was measured, with a gap where the measuring paused. */
export function panelColumns(gpu: GpuData, metrics: readonly MetricData[]): PanelColumns {
  const length = Math.max(0, ...metrics.map(({ means }) => means.length));
  const places: number[] = [];
  for (let at = 0; at < length; at++) if (metrics.some(({ means }) => means[at] != null)) places.push(at);
  const distances = places.slice(1).map((place, at) => place - places[at]!);
  const usual = distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 1;
  const rows: (number | null)[] = [];
  places.forEach((place, at) => {
    if (at > 0 && place - places[at - 1]! > usual * gapFactor) rows.push(null);
    rows.push(place);
  });
  const timeOf = (row: number | null, at: number): number => {
    const place = row ?? (rows[at - 1]! + rows[at + 1]!) / 2;
    return gpu.start + place * gpu.step + (gpu.step > 1 ? gpu.step / 2 : 0);
  };
  const columnOf = (values: Values): readonly (number | null | undefined)[] =>
    rows.map((row) => (row === null ? null : (values[row] ?? undefined)));
  return {
    times: rows.map(timeOf),
    columns: metrics.flatMap(({ means, lowest, highest }) => [
      columnOf(means),
      columnOf(lowest ?? means),
      columnOf(highest ?? means),
    ]),
  };
}

/** The known value nearest to a place, at most some places away. */
export function nearValue(values: readonly (number | null | undefined)[], at: number, most: number): number | null {
  for (let off = 0; off <= most; off++)
    for (const place of [at - off, at + off]) {
      const value = values[place];
      if (value !== null && value !== undefined) return value;
    }
  return null;
}
