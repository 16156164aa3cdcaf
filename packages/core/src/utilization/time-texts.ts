import type { SeriesData } from './series-data.ts';

/** Steps between labels of a time axis, in seconds. */
export const timeSteps: readonly number[] = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
  1_209_600, 2_419_200, 7_776_000, 31_536_000,
];

type Clock = SeriesData['clock'];

/** A time as the tools printed it: no zone is known, and none is applied. */
export function timeText(seconds: number, clock: Clock): string {
  if (clock === 'samples') return `sample ${Math.round(seconds)}`;
  const at = new Date(Math.round(seconds * 1000)).toISOString();
  return clock === 'date' ? `${at.slice(0, 10)} ${at.slice(11, 19)}` : at.slice(11, 19);
}

/** Labels of an axis: the day stands at the first one and where it changes. */
export function axisTexts(splits: readonly number[], clock: Clock, step: number): string[] {
  if (clock === 'samples') return splits.map((value) => value.toLocaleString('en'));
  let day = '';
  return splits.map((seconds) => {
    const at = new Date(seconds * 1000).toISOString();
    const time = at.slice(11, step < 60 ? 19 : 16);
    const now = at.slice(0, 10);
    if (clock !== 'date' || now === day) return time;
    day = now;
    return step >= 86_400 ? now : `${time}\n${now}`;
  });
}

/** A length of time in the largest unit that fits: `2 h 5 min`. */
export function lengthText(seconds: number, clock: Clock): string {
  if (clock === 'samples') return `${Math.round(seconds).toLocaleString('en')} samples`;
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    Math.round(seconds % 60),
  ];
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}

/** A number as a person reads it: thousands in groups, a decimal only where it is small. */
export function numberText(value: number): string {
  const digits = Math.abs(value) < 10 && !Number.isInteger(value) ? 1 : 0;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
