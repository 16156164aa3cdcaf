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

function clockOf(text: string): number | null {
  if (text.length < 8 || text[2] !== ':' || text[5] !== ':') return null;
  const value = Number(text.slice(0, 2)) * 3600 + Number(text.slice(3, 5)) * 60 + Number(text.slice(6));
  return Number.isFinite(value) ? value : null;
}
