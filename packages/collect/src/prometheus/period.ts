// Periods and steps as Prometheus and Grafana write them, and the pages that a long one is read in.
import { endsOfText } from '@culprit/core/utilization/time-window';
import { PrometheusError } from './errors.ts';

/** A period, in seconds since 1970. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A server answers with at most 11,000 points of one series. */
export const mostPoints = 11_000;

const units: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/** `90`, `90s`, `1h30m`, `2d` in seconds; null where it is none. */
export function durationOf(text: string): number | null {
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) return Number(text);
  if (!/^(?:\d{1,9}(?:ms|[smhdwy])){1,7}$/.test(text)) return null;
  let seconds = 0;
  for (const [, number, unit] of text.matchAll(/(\d{1,9})(ms|[smhdwy])/g)) seconds += Number(number) * units[unit!]!;
  return seconds;
}

/**
 * `2026-03-03T14:00:00Z`, `2026-03-03 14:00` (of this machine's time zone, as ISO 8601 has it), `2026-03-03`,
 * seconds or milliseconds since 1970, `now`, `now-1h`, `-1h`.
 */
export function momentOf(text: string, now: number): number | null {
  const ago = /^(?:now)?-(.{1,40})$/.exec(text);
  if (ago !== null) {
    const seconds = durationOf(ago[1]!);
    return seconds === null ? null : now - seconds;
  }
  if (text === 'now') return now;
  if (/^\d{9,10}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  if (/^\d{12,13}$/.test(text)) return Number(text) / 1000;
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text);
  if (match === null) return null;
  const zone = match[4] === undefined ? '' : match[4].replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const time = Date.parse(`${match[1]!}T${match[2] ?? '00:00'}${match[3] ?? ':00'}${zone}`);
  return Number.isNaN(time) ? null : time / 1000;
}

/**
 * The period that flags name: the last hour where they name none.
 * @throws PrometheusError where one cannot be read, or it ends before it begins
 */
export function periodOf(
  flags: { readonly since?: string | undefined; readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
): Period {
  const { since, from, to } = flags;
  if (since !== undefined && from !== undefined)
    throw new PrometheusError('bad-option', '--since and --from both say when it begins');
  const end = to === undefined ? now : momentOf(to, now);
  if (end === null) throw bad('to', to!);
  let begin: number | null;
  if (from === undefined) {
    const back = durationOf(since ?? '1h');
    if (back === null) throw bad('since', since!);
    begin = end - back;
  } else begin = momentOf(from, now);
  if (begin === null) throw bad('from', from!);
  if (!(begin < end)) throw new PrometheusError('bad-option', 'the period ends before it begins');
  return { from: begin, to: end };
}

/** What a comparison names: two periods as `FROM..TO`, or a time that parts one period into two. */
export interface ComparedFlags {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly split?: string | undefined;
  readonly since?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A period by the name that a person gave it. */
export interface NamedPeriod extends Period {
  readonly name: string;
}

/** What a period ends before, by less than any two scrapes are apart: a point belongs to one period only. */
const beforeEnd = 0.001;

/**
 * Two periods of one server, the earlier or later as they are named. Times are read as `--from` and `--to` are; a time of
 * day alone is the last one that is over.
 * @throws PrometheusError where one cannot be read, ends before it begins, has not begun, or has time in common with the other
 */
export function periodsOf(flags: ComparedFlags, now: number): readonly [NamedPeriod, NamedPeriod] {
  const { before, after, split, ...whole } = flags;
  if (split !== undefined) {
    const { from, to } = periodOf(whole, now);
    const at = momentOf(split, now) ?? clockBefore(split, to);
    if (at === null) throw bad('split', split);
    if (!(from < at && at < to))
      throw new PrometheusError(
        'bad-option',
        `--split ${split} is not within the period that is asked for`,
        `that is ${shown(from)} to ${shown(to)}; --since, --from and --to choose another`,
      );
    return [
      { name: `before ${split}`, from, to: at - beforeEnd },
      { name: `from ${split}`, from: at, to },
    ];
  }
  const extra = (['since', 'from', 'to'] as const).find((name) => whole[name] !== undefined);
  if (extra !== undefined)
    throw new PrometheusError('bad-option', `--${extra} and two periods both say what is asked for`);
  const [one, other] = [spanOf('before', before, now), spanOf('after', after, now)];
  if (Math.max(one.from, other.from) < Math.min(one.to, other.to))
    throw new PrometheusError(
      'bad-option',
      `the periods ${one.name} and ${other.name} have time in common`,
      'two periods are compared that do not overlap, one before and one after a change',
    );
  return [one, other];
}

function spanOf(flag: 'before' | 'after', text: string | undefined, now: number): NamedPeriod {
  const example = '2026-11-01T10:00..12:00, now-2d..now-1d, 10:00..12:00';
  if (text === undefined)
    throw new PrometheusError('bad-option', `the second period is missing: --${flag} FROM..TO`, example);
  const ends = endsOfText(text);
  if (ends === null || ends.from === null)
    throw new PrometheusError('bad-option', `a period is FROM..TO, not ${JSON.stringify(text.slice(0, 80))}`, example);
  const to = ends.to === null ? now : (momentOf(ends.to, now) ?? clockBefore(ends.to, now));
  const from = momentOf(ends.from, now) ?? (to === null ? null : clockBefore(ends.from, to));
  if (from === null || to === null)
    throw new PrometheusError('bad-option', `the period ${JSON.stringify(text.slice(0, 80))} cannot be read`, example);
  if (!(from < to)) throw new PrometheusError('bad-option', `the period ${text} ends before it begins`, example);
  if (from > now) throw new PrometheusError('bad-option', `the period ${text} has not begun`, `now is ${shown(now)}`);
  return { name: text, from, to: to - beforeEnd };
}

/** The last time before another at which a clock of this machine's time zone shows `14:30` or `14:30:10`; null for other texts. */
function clockBefore(text: string, end: number): number | null {
  const match = /^(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  const [hour, minute, second] = [Number(match?.[1]), Number(match?.[2]), Number(match?.[3] ?? 0)];
  if (match === null || hour > 23 || minute > 59 || second > 59) return null;
  const at = new Date(end * 1000);
  at.setHours(hour, minute, second, 0);
  if (at.getTime() / 1000 > end) at.setDate(at.getDate() - 1);
  return at.getTime() / 1000;
}

function shown(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** @throws PrometheusError where it is no step */
export function stepOf(text: string): number {
  const seconds = durationOf(text);
  if (seconds === null || seconds <= 0) throw bad('step', text);
  return seconds;
}

function bad(flag: string, text: string): PrometheusError {
  return new PrometheusError(
    'bad-option',
    `--${flag} cannot be read: ${JSON.stringify(text.slice(0, 60))}`,
    flag === 'since' || flag === 'step' ? '90s, 15m, 1h30m, 2d' : '2026-03-03T14:00:00Z, now-1h, or seconds since 1970',
  );
}

/** The step for a period where none is named: the interval of the scrapes, and a longer one only where it must be. */
export function usualStep(period: Period, interval: number | null): number {
  const least = Math.ceil((period.to - period.from) / (mostPoints - 1));
  return Math.max(1, interval ?? 15, least);
}

/**
 * Cuts a period into pages of at most so many points each. Pages meet at no point: both ends of one belong to it.
 * @param points most points of one series in a page, at least 1
 */
export function* pagesOf(period: Period, step: number, points: number): Generator<Period> {
  const count = Math.floor((period.to - period.from) / step + 1e-9) + 1;
  const size = Math.max(1, Math.min(mostPoints, Math.floor(points)));
  for (let at = 0; at < count; at += size)
    yield {
      from: period.from + at * step,
      to: period.from + (Math.min(count, at + size) - 1) * step,
    };
}
