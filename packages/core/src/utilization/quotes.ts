import type { GpuSeries, SeriesPlace } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';

const [util, reasons, clock] = [metricAt('util'), metricAt('reasons'), metricAt('sm-clock')];
const [limit, board] = [metricAt('power-limit'), metricAt('power-default')];
const [width, widthMax] = [metricAt('pcie-width'), metricAt('pcie-width-max')];
const [generation, generationMax] = [metricAt('pcie-generation'), metricAt('pcie-generation-max')];
const [activity, rx] = [metricAt('smact'), metricAt('rx')];

const mostQuoted = 32;
/** A value that is lower, or higher, by this part is quoted instead. */
const [lower, higher] = [0.98, 1.02];

/**
 * Keeps the places of rows that findings quote. A row that shows a fault lies in the time in which the fault is there: the
 * first row of a series may be of the time before.
 */
export function quote(
  series: GpuSeries,
  row: Float64Array,
  load: number,
  busyFrom: number,
  place: (metric?: number) => SeriesPlace,
): void {
  const { quoted, marked: kept } = series;
  const put = (name: string, metric?: number): void => {
    if (quoted.has(name) || quoted.size < mostQuoted) quoted.set(name, place(metric));
  };
  if (series.taking === 1) put('first');
  if (load <= 5 && !quoted.has('idle')) put('idle', util);
  if (load <= 15) {
    // The first row without work after some work, and the first of the last such time.
    if (kept.wasBusy) {
      if (!quoted.has('wait')) put('wait', util);
      put('after', util);
    }
    kept.wasBusy = false;
  }
  // A stretch that stands still begins again and again; a row some way into the last one is quoted.
  const still = series.still.count;
  if (still === 1 || still === 30) put('still', util);
  if (!(load >= busyFrom)) return;
  kept.wasBusy = true;
  if (!quoted.has('busy')) put('busy', util);
  const mask = row[reasons]!;
  if (mask > 1 && !quoted.has(`reasons ${mask}`)) put(`reasons ${mask}`);
  if (row[clock]! < kept.clock * lower) {
    kept.clock = row[clock]!;
    put('slowest', clock);
  }
  if (row[activity]! < kept.activity * lower) {
    kept.activity = row[activity]!;
    put('few SMs', activity);
  }
  if (row[rx]! > kept.traffic * higher) {
    kept.traffic = row[rx]!;
    put('traffic', rx);
  }
  if (!quoted.has('lowered') && row[limit]! < 0.97 * row[board]!) put('lowered', limit);
  if (!quoted.has('link') && (row[width]! < row[widthMax]! || row[generation]! < row[generationMax]!))
    put('link', width);
}
