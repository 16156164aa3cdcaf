import type { Line } from '../model/document.ts';

/**
 * A point in time as a line prints it. Two can be compared only when they were read off clocks of one kind:
 * `utc` has a zone; `wall` is a program's local time and `host` the local time of a node's system log, which may lie in
 * another zone than a container; `boot …` counts seconds since the start of one node.
 */
export interface Moment {
  readonly clock: 'utc' | 'wall' | 'host' | `boot ${string}`;
  /** Milliseconds; of a time without a year, in the year 2000. */
  readonly ms: number;
  /** The year was printed. */
  readonly dated: boolean;
}

const months: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const yearless = 2000;

function fraction(text: string | undefined): number {
  return text === undefined ? 0 : Math.round(Number(`0.${text.slice(0, 9)}`) * 1e6) / 1000;
}

function moment(
  clock: Moment['clock'],
  year: number | null,
  month: number,
  day: number,
  time: readonly [string | undefined, string | undefined, string | undefined, string | undefined],
): Moment | null {
  const [hours, minutes, seconds] = [Number(time[0]), Number(time[1]), Number(time[2])];
  if (month < 1 || month > 12 || day < 1 || day > 31 || !(hours < 24) || !(minutes < 60) || !(seconds < 61))
    return null;
  const ms = Date.UTC(year ?? yearless, month - 1, day, hours, minutes, seconds) + fraction(time[3]);
  return { clock, ms, dated: year !== null };
}

const iso =
  /^\[?(\d{4})[-/](\d\d)[-/](\d\d)[T _](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?(?=[\]\s,:]|$)/;
const syslog = /^([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?/;
const dmesgDate = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})/;
// glog and klog: I0312 10:11:12.123456 4711 file.cc:12]; torch: [E312 10:11:12.123456789 ProcessGroupNCCL.cpp:607]
const glog = /^\[?[IWEFD](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?[ \]]/;
// ERROR 03-12 10:11:12 [engine.py:1]
const monthDay = /^(?:ERROR|WARNING|INFO|CRITICAL|DEBUG) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))? /;
const elastic = /^\s{0,8}time\s{1,8}: (\d{4})-(\d\d)-(\d\d)_(\d\d):(\d\d):(\d\d)\s{0,4}$/;

/** The time that stands in a line, by its prefix or at the start of its message; null where there is none. */
export function momentOf(line: Pick<Line, 'origin' | 'clean'>): Moment | null {
  const { time, at, host } = line.origin;
  if (at !== undefined) return { clock: 'utc', ms: at, dated: true };
  return (time === undefined ? null : readTime(time, host)) ?? readOwn(line.clean);
}

function readTime(time: string, host: string | undefined): Moment | null {
  if (/^\d{1,9}\.\d{6}$/.test(time)) return { clock: `boot ${host ?? ''}`, ms: Number(time) * 1000, dated: true };
  const date = iso.exec(time);
  if (date !== null)
    return moment('wall', Number(date[1]), Number(date[2]), Number(date[3]), [date[4], date[5], date[6], date[7]]);
  const full = dmesgDate.exec(time);
  if (full !== null)
    return moment('host', Number(full[6]), months.indexOf(full[1]!.toLowerCase()) + 1, Number(full[2]), [
      full[3],
      full[4],
      full[5],
      undefined,
    ]);
  const short = syslog.exec(time);
  return short === null
    ? null
    : moment('host', null, months.indexOf(short[1]!.toLowerCase()) + 1, Number(short[2]), [
        short[3],
        short[4],
        short[5],
        short[6],
      ]);
}

function readOwn(clean: string): Moment | null {
  const first = clean.charCodeAt(0);
  // A digit, a bracket, a capital letter or the indent of a table.
  if (!((first >= 0x30 && first <= 0x39) || first === 0x5b || first === 0x20 || (first >= 0x41 && first <= 0x5a)))
    return null;
  const text = clean.slice(0, 64);
  const short = glog.exec(text) ?? monthDay.exec(text);
  if (short !== null)
    return moment('wall', null, Number(short[1]), Number(short[2]), [short[3], short[4], short[5], short[6]]);
  const date = iso.exec(text) ?? elastic.exec(text);
  if (date === null) return null;
  const zone = date[8];
  if (zone === undefined)
    return moment('wall', Number(date[1]), Number(date[2]), Number(date[3]), [date[4], date[5], date[6], date[7]]);
  const ms = Date.parse(`${date[1]}-${date[2]}-${date[3]}T${date[4]}:${date[5]}:${date[6]}${zone}`);
  return Number.isNaN(ms) ? null : { clock: 'utc', ms: ms + fraction(date[7]), dated: true };
}

const year = 366 * 86_400_000;

/**
 * Puts moments on one scale.
 * @returns milliseconds in the order of the input, or null where the clocks are of several kinds
 */
export function onOneClock(moments: readonly Moment[]): readonly number[] | null {
  const [first] = moments;
  if (first === undefined || moments.some((each) => each.clock !== first.clock)) return null;
  if (moments.every((each) => each.dated)) return moments.map((each) => each.ms);
  const bare = moments.map((each) => (each.dated ? withoutYear(each.ms) : each.ms));
  // A log that runs over New Year's Eve.
  const span = Math.max(...bare) - Math.min(...bare);
  return span > year / 2 ? bare.map((ms) => (ms < Date.UTC(yearless, 6) ? ms + year : ms)) : bare;
}

function withoutYear(ms: number): number {
  const date = new Date(ms);
  return (
    Date.UTC(
      yearless,
      date.getUTCMonth(),
      date.getUTCDate(),
      date.getUTCHours(),
      date.getUTCMinutes(),
      date.getUTCSeconds(),
    ) +
    (ms % 1000)
  );
}
