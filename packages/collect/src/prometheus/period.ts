// Periods and steps as Prometheus and Grafana write them, and the pages that a long one is read in.
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
