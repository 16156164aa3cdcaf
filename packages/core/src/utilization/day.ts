import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import { metricAt } from './gpu-series.ts';
import type { GpuView } from './view.ts';

const utilAt = metricAt('util');

/** Means of about an hour each; null where the series is too short for a day, or has holes. */
function hoursOf(gpu: GpuView): readonly number[] | null {
  const { stretch, length } = gpu.series.grid;
  if (stretch * length < gpu.limits['day-hours']! * 3600) return null;
  const values = gpu.series.history(utilAt);
  const per = Math.max(1, Math.round(3600 / stretch));
  const hours: number[] = [];
  for (let from = 0; from + per <= values.length; from += per) {
    const part = values.slice(from, from + per).filter((value) => value !== null);
    if (part.length === 0) return null;
    hours.push(part.reduce((sum, value) => sum + value, 0) / part.length);
  }
  return hours.length < 8 ? null : hours;
}

/**
 * Work that rises and falls slowly over hours, as requests do with the time of day: at least one rise and one fall over
 * most of the range, with hours in between. A job that starts or ends jumps.
 */
export function ofTheDay(gpu: GpuView): Detected | null {
  const { limits } = gpu;
  const hours = hoursOf(gpu);
  if (hours === null) return null;
  const [least, most] = [Math.min(...hours), Math.max(...hours)];
  const range = most - least;
  if (range < limits['day-range']!) return null;
  const between = hours.filter((value) => value > least + 0.2 * range && value < most - 0.2 * range).length;
  if (between < 3) return null;
  // Turns from low to high and back, each over the middle six tenths.
  let side: boolean | null = null;
  let turns = 0;
  for (const value of hours) {
    const now = value >= least + 0.8 * range ? true : value <= least + 0.2 * range ? false : null;
    if (now === null) continue;
    if (side !== null && now !== side) turns++;
    side = now;
  }
  const days =
    (hours.length * Math.max(1, Math.round(3600 / gpu.series.grid.stretch)) * gpu.series.grid.stretch) / 86_400;
  // A day has one rise and one fall; half a day shows one of them, over more hours.
  const slow = turns >= 2 ? turns <= 4 * days + 2 : turns === 1 && between >= 4;
  return slow && smooth(hours, range) ? withTheDay(gpu, range) : null;
}

/** No hour jumps over most of the range. */
function smooth(hours: readonly number[], range: number): boolean {
  return hours.every((value, at) => at === 0 || Math.abs(value - hours[at - 1]!) < 0.6 * range);
}

function withTheDay(gpu: GpuView, range: number): Detected | null {
  const held = gpu.series.all[metricAt('held')]!;
  // The model of a server stays; jobs that come and go give their memory back.
  if (held.count > 0 && held.max > 0 && held.min < 0.5 * held.max) return null;
  return {
    cause: 'ok-diurnal-inference',
    kind: 'healthy',
    says: `its utilisation rises and falls by ${Math.round(range)} points over hours, as requests do with the time of day`,
    measured: [
      ...against('range of the hourly means (points)', range, '>=', 'day-range'),
      ...against('hours', (gpu.series.grid.stretch * gpu.series.grid.length) / 3600, '>=', 'day-hours'),
    ],
  };
}
