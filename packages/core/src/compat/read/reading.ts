/** A text while it is read: what was understood is marked as taken, so that no word is read twice. */
export interface Reading {
  /** As typed. */
  readonly text: string;
  /** Lower case, same length. */
  readonly lower: string;
  readonly taken: Uint8Array;
}

/** Most characters of a question that are read. */
export const longestQuestion = 4000;

/** Starts a reading. Longer texts are cut. */
export function startReading(input: string): Reading {
  const text = input
    .slice(0, longestQuestion)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2013\u2014]/g, '-');
  const lower = toLowerSameLength(text);
  return { text, lower, taken: new Uint8Array(text.length) };
}

/** Lower case of ASCII letters only: some letters change their length, and places must stay. */
function toLowerSameLength(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The first match that touches nothing taken, or null. `pattern` must be global and is matched on the lower-case text. */
export function find(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = 0;
  for (;;) {
    const match = pattern.exec(reading.lower);
    if (match === null) return null;
    if (match[0].length === 0) {
      pattern.lastIndex += 1;
      continue;
    }
    if (isFree(reading, match.index, match.index + match[0].length)) return match;
    pattern.lastIndex = match.index + 1;
  }
}

/** As `find`, and marks the match as taken. */
export function take(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  const match = find(reading, pattern);
  if (match !== null) mark(reading, match.index, match.index + match[0].length);
  return match;
}

/** Takes every match. */
export function takeAll(reading: Reading, pattern: RegExp): readonly RegExpExecArray[] {
  const all: RegExpExecArray[] = [];
  for (let match = take(reading, pattern); match !== null; match = take(reading, pattern)) all.push(match);
  return all;
}

/** Marks a place as taken. */
export function mark(reading: Reading, from: number, to: number): void {
  reading.taken.fill(1, from, to);
}

/** Nothing between the places was taken. */
export function isFree(reading: Reading, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (reading.taken[at] === 1) return false;
  return true;
}

/** The text as typed between two places. */
export function typed(reading: Reading, from: number, to: number): string {
  return reading.text.slice(from, to);
}

/** What was not taken, with spaces in place of what was: same length as the text. */
export function leftover(reading: Reading): string {
  let text = '';
  for (let at = 0; at < reading.lower.length; at += 1) text += reading.taken[at] === 1 ? ' ' : reading.lower.charAt(at);
  return text;
}
