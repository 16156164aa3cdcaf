// Times as the tools print them, in seconds. Without a date they count from midnight.

/** `14:02:11` with `20260303` or without; null where it is none. */
export function dmonTime(date: string | null, time: string | null): number | null {
  let seconds = 0;
  if (date !== null) {
    if (!/^\d{8}$/.test(date)) return null;
    seconds = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6, 8))) / 1000;
  }
  if (time === null) return date === null ? null : seconds;
  const clock = clockOf(time);
  return clock === null ? null : seconds + clock;
}

/** `2026/03/03 14:02:11.713`; null where it is none. */
export function queryTime(text: string): number | null {
  const match = /^(\d{4})[/-](\d{2})[/-](\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)/.exec(text);
  if (match === null) return null;
  const clock = clockOf(match[4]!);
  return clock === null ? null : Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) / 1000 + clock;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;

/** `Fri Mar  6 19:33:02 2026`, as `nvidia-smi -q` and `dmesg -T` print it; null where it is none. */
export function longTime(text: string): number | null {
  const match = /^[A-Z][a-z]{2} {1,2}([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) (\d{4})$/.exec(
    text,
  );
  if (match === null) return null;
  const [month, clock] = [monthOf(match[1]!), clockOf(match[3]!)];
  return month < 0 || clock === null ? null : Date.UTC(Number(match[4]), month, Number(match[2])) / 1000 + clock;
}

function monthOf(text: string): number {
  return months.findIndex((name) => name === text.toLowerCase());
}

/** When a line of the kernel log was written, as far as it tells. */
export interface LogTime {
  /** Seconds since 1970; null where the line tells no zone. */
  readonly utc: number | null;
  /** The same by the calendar of the machine; null where it tells no year. */
  readonly local: number | null;
  /** By a year that the line does not tell: seconds from its first of January, and whether it is a leap day's. */
  readonly inYear: readonly [month: number, day: number, clock: number] | null;
}

const unknown: LogTime = { utc: null, local: null, inYear: null };

/**
 * The time of a line of dmesg or the journal: `[Tue Mar 11 07:52:38 2025]`, `2025-04-02T13:07:55,640812+00:00`,
 * `Apr  2 13:07:56 host kernel:` and with parts of a second. Seconds since boot tell no time of a clock.
 */
export function logTime(line: string): LogTime {
  const start = line.slice(0, 100);
  const bracket =
    /^[^[]{0,40}\[([A-Z][a-z]{2} {1,2}[A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})? \d{4})\]/.exec(start);
  if (bracket !== null) return { ...unknown, local: longTime(bracket[1]!) };
  const iso =
    /(?:^|\s)(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?(?:(Z)|([+-])(\d{2}):?(\d{2}))?(?=\s|$)/.exec(
      start,
    );
  if (iso !== null) {
    const clock = clockOf(iso[5] === undefined ? iso[4]! : `${iso[4]!}.${iso[5]}`);
    if (clock === null) return unknown;
    const local = Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])) / 1000 + clock;
    if (iso[6] !== undefined) return { ...unknown, utc: local, local };
    if (iso[7] === undefined) return { ...unknown, local };
    const offset = (iso[7] === '-' ? -1 : 1) * (Number(iso[8]) * 3600 + Number(iso[9]) * 60);
    return { ...unknown, utc: local - offset, local };
  }
  const short = /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)\s/.exec(start);
  if (short === null) return unknown;
  const [month, clock] = [monthOf(short[1]!), clockOf(short[3]!)];
  return month < 0 || clock === null ? unknown : { ...unknown, inYear: [month, Number(short[2]), clock] };
}

function clockOf(text: string): number | null {
  if (text.length < 8 || text[2] !== ':' || text[5] !== ':') return null;
  const value = Number(text.slice(0, 2)) * 3600 + Number(text.slice(3, 5)) * 60 + Number(text.slice(6));
  return Number.isFinite(value) ? value : null;
}
