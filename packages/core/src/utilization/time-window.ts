import type { Clock } from './gpu-series.ts';

/** A time that a person wrote: of a day, with a date, or as a plain number. */
export interface Moment {
  readonly kind: 'clock' | 'date' | 'number';
  readonly seconds: number;
}

/** `14:32`, `2026-03-03 14:32:10`, `2026-03-03T14:32:10Z`, `1772546400`, `600` (a sample); null for anything else. */
export function momentOfText(text: string): Moment | null {
  const match =
    /^(?:(\d{4})-(\d{2})-(\d{2}))?(?:[T ]?(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(
      text.trim(),
    );
  if (match !== null && (match[1] !== undefined || match[4] !== undefined)) {
    const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
    if (hour > 24 || minute > 59 || second > 60) return null;
    const clock = hour * 3600 + minute * 60 + second;
    if (match[1] === undefined) return match[7] === undefined ? { kind: 'clock', seconds: clock } : null;
    const [month, day] = [Number(match[2]), Number(match[3])];
    if (month < 1 || month > 12 || day < 1 || day > 31) return null;
    const zone = match[7];
    const off =
      zone === undefined || zone === 'Z'
        ? 0
        : (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60);
    return { kind: 'date', seconds: Date.UTC(Number(match[1]), month - 1, day) / 1000 + clock - off };
  }
  if (!/^\d{1,12}(?:\.\d{1,6})?$/.test(text.trim())) return null;
  return { kind: 'number', seconds: Number(text) };
}

/**
 * The two ends of `FROM..TO` as texts, null where one is left out; null where the text is no such thing. A time of day
 * after a date (`2026-11-01T22:00..02:00`) is one of that day, or of the next where it would come before.
 */
export function endsOfText(text: string): { readonly from: string | null; readonly to: string | null } | null {
  const at = text.indexOf('..');
  if (at < 0) return null;
  const [one, other] = [text.slice(0, at).trim(), text.slice(at + 2).trim()];
  const dated = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:?\d{2})?$/.exec(one);
  const ends = [one === '' ? null : one, other === '' ? null : other] as const;
  if (dated === null || !/^\d{2}:\d{2}(?::\d{2})?$/.test(other)) return { from: ends[0], to: ends[1] };
  const midnight = Date.parse(`${dated[1]!}T00:00:00Z`);
  if (Number.isNaN(midnight)) return { from: ends[0], to: ends[1] };
  const date = other > dated[2]! ? dated[1]! : new Date(midnight + 86_400_000).toISOString().slice(0, 10);
  return { from: one, to: `${date}T${other}${dated[3] ?? ''}` };
}

/** `FROM..TO`, either of which may be left out; null where it is none. */
export function periodOfText(text: string): { readonly from: Moment | null; readonly to: Moment | null } | null {
  const ends = endsOfText(text);
  if (ends === null) return null;
  const [one, other] = [ends.from ?? '', ends.to ?? ''];
  const [from, to] = [one === '' ? null : momentOfText(one), other === '' ? null : momentOfText(other)];
  if ((one !== '' && from === null) || (other !== '' && to === null) || (from === null && to === null)) return null;
  return { from, to };
}

const day = 86_400;

/**
 * A part of the time of series: samples from its beginning up to, but not at, its end. A time of day means the first
 * day that a series with dates has.
 */
export class TimeWindow {
  private readonly from: Moment | null;
  private readonly to: Moment | null;
  private firstDay: number | null = null;
  /** Samples without a time that could be held against the window. */
  untimed = 0;

  constructor(from: Moment | null, to: Moment | null) {
    this.from = from;
    this.to = to;
  }

  has(seconds: number, clock: Clock): boolean {
    if (clock === 'utc' || clock === 'local') this.firstDay ??= Math.floor(seconds / day) * day;
    const [from, to] = [this.bound(this.from, clock), this.bound(this.to, clock)];
    if (from === null || to === null) {
      this.untimed++;
      return false;
    }
    // A period over midnight ends on the next day.
    const end = this.to?.kind === 'clock' && this.from?.kind === 'clock' && to <= from ? to + day : to;
    return seconds >= (Number.isNaN(from) ? Number.NEGATIVE_INFINITY : from) && !(seconds >= end);
  }

  /** A bound by the clock of a sample; NaN where there is none, null where they cannot be compared. */
  private bound(moment: Moment | null, clock: Clock): number | null {
    if (moment === null) return Number.NaN;
    const dated = clock === 'utc' || clock === 'local';
    switch (moment.kind) {
      case 'clock':
        return dated ? this.firstDay! + moment.seconds : clock === 'day' ? moment.seconds : null;
      case 'date':
        return dated ? moment.seconds : null;
      case 'number':
        // Seconds since 1970, or the number of a sample.
        return dated === moment.seconds >= 1e8 && clock !== 'day' ? moment.seconds : null;
    }
  }
}
