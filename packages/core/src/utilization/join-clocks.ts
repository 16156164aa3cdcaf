import type { Clock, GpuSeries } from './gpu-series.ts';
import type { SeriesSet } from './series-set.ts';

const day = 86_400;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Share of the shorter span that both have in common. */
function common(one: Span, other: Span): number {
  const shorter = Math.min(one.to - one.from, other.to - other.from);
  const both = Math.min(one.to, other.to) - Math.max(one.from, other.from);
  return shorter <= 0 ? Number(both >= 0) : both / shorter;
}

const words: Readonly<Record<Clock, string>> = {
  utc: 'times of UTC',
  local: 'dates of the machine',
  day: 'times of day without a date',
  count: 'no times',
};

/**
 * Joins what tells the time differently: times of day with dates where they fit exactly one day, dates of a machine with
 * those of UTC where the machine's clock must be UTC. What cannot be joined keeps its own history, so that nothing is
 * smeared over a time that it does not belong to, and it is said.
 */
export function joinClocks(set: SeriesSet): void {
  const open = new Map<string, string>();
  for (const series of set.gpus.values()) {
    const unclear = joined(series);
    if (unclear !== null && !open.has(unclear.key)) open.set(unclear.key, unclear.why);
  }
  for (const [key, why] of open) {
    const [one, other] = key.split(' ') as [Clock, Clock];
    const named = (clock: Clock): string => [...(set.files.get(clock) ?? ['a file'])].slice(0, 3).join(', ');
    set.left.push(
      `${named(one)} ${verb(set, one)} ${words[one]}, ${named(other)} ${words[other]}: joined by GPU, not in time (${why})`,
    );
  }
}

function verb(set: SeriesSet, clock: Clock): string {
  return (set.files.get(clock)?.size ?? 1) > 1 ? 'tell' : 'tells';
}

/** @returns two clocks that could not be joined, and why; null where there is one */
function joined(series: GpuSeries): { readonly key: string; readonly why: string } | null {
  let { clocks } = series;
  let why = '';
  const [local, utc] = [clocks.get('local'), clocks.get('utc')];
  if (local !== undefined && utc !== undefined) {
    if (common(local, utc) >= 0.5) series.join('local', 'utc', 0);
    else why = "the machine's zone is not known";
  }
  clocks = series.clocks;
  const time = clocks.get('day');
  const dated = clocks.has('utc') ? 'utc' : 'local';
  const dates = clocks.get(dated);
  if (time !== undefined && dates !== undefined && why === '') {
    const fits: number[] = [];
    for (let at = Math.floor((dates.from - time.to) / day) * day; at <= dates.to && fits.length < 2; at += day)
      if (common({ from: time.from + at, to: time.to + at }, dates) >= 0.5) fits.push(at);
    if (fits.length === 1) series.join('day', dated, fits[0]!);
    else why = fits.length === 0 ? 'the times fit no day of the dates' : 'the times fit several days of the dates';
  }
  // A single state without a time is no series.
  const left = [...series.clocks]
    .filter(([clock, { from, to }]) => clock !== 'count' || to - from > 1)
    .map(([clock]) => clock);
  if (left.length < 2) return null;
  const [one, other] = (['count', 'day', 'local', 'utc'] as const).filter((clock) => left.includes(clock));
  return { key: `${one!} ${other!}`, why: why === '' ? 'samples without a time can be put nowhere' : why };
}
