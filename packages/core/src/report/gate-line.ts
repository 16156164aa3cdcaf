import type { Decision, GateItem } from '../gate/decision.ts';

/** Longest line of the gate: what a scheduler keeps as a reason. */
export const longestLine = 100;

const words = { enforced: 'fail', held: 'held', warn: 'warn', ok: 'ok', unknown: 'unknown' } as const;

/**
 * The decision in one line of printable ASCII.
 * @param width most characters, 40 or more
 */
export function gateLine(decision: Decision, width: number = longestLine): string {
  const [first] = decision.items;
  const more = decision.items.length - 1;
  const notes = [
    ...(first === undefined ? [] : held(first)),
    ...(more > 0 ? [`+${more} more`] : []),
    ...decision.notes,
  ];
  const head = `culprit: ${words[decision.outcome]}`;
  if (first === undefined) {
    const line = oneLine(head, decision.headline, notes, width);
    const colon = decision.headline.indexOf(': ');
    // Behind the colon stands what it rests on: a sentence without it is whole.
    return line.includes('...') && colon > 0 ? oneLine(head, decision.headline.slice(0, colon), notes, width) : line;
  }
  const { rule, message } = first.finding;
  const whole = oneLine(head, `${rule}: ${message}`, notes, width);
  if (!whole.includes('...')) return whole;
  // Where the sentence does not fit, its values may.
  const shorter = [true, false].map((nouns) => oneLine(head, `${rule}: ${valuesOf(message, nouns)}`, notes, width));
  return shorter.find((line) => !line.includes('...')) ?? whole;
}

/** A line that says that the tool itself failed. */
export function failureLine(why: string, width: number = longestLine): string {
  return oneLine('culprit: no verdict', why, [], width);
}

/** `HEAD: TEXT [notes]`; where there is no room for all, the text is cut, then the notes. */
function oneLine(head: string, text: string, notes: readonly string[], width: number): string {
  const start = `${head}: `;
  const least = Math.min(text.length, Math.floor(width / 2) - start.length);
  let said = notes.map(ascii);
  let tail = said.length === 0 ? '' : ` [${said.join('; ')}]`;
  while (said.length > 1 && start.length + least + tail.length > width) {
    said = said.slice(0, -1);
    tail = ` [${said.join('; ')}; ...]`;
  }
  if (start.length + least + tail.length > width) {
    const room = width - start.length - least - 6;
    tail = room < 4 ? '' : ` [${said[0]!.slice(0, room).trimEnd()}...]`;
  }
  const room = width - start.length - tail.length;
  const shown = ascii(text);
  const part = shown.length <= room ? shown : `${atWord(shown, Math.max(0, room - 3))}...`;
  return `${start}${part}${tail}`.slice(0, width);
}

/** Cuts between words where one ends near: half a version would be another one. */
function atWord(text: string, room: number): string {
  const part = text.slice(0, room);
  const space = text[room] === ' ' ? room : part.lastIndexOf(' ');
  return (room - space < 30 && space > 0 ? part.slice(0, space) : part).replace(/[\s,;:]$/, '');
}

const small: ReadonlySet<string> = new Set(
  'a an the is are was were has have but and or of in on at to for by with as not than'.split(' '),
);

/** `the loaded kernel module is 570.124.06, but the driver library is 570.133.20` → `module 570.124.06, library 570.133.20` */
function valuesOf(message: string, nouns: boolean): string {
  const found: string[] = [];
  let noun = '';
  for (const word of message.split(' ')) {
    const bare = word.replace(/[,;:.)]$/, '').replace(/^\(/, '');
    if (/\d/.test(bare)) {
      found.push(noun === '' || !nouns ? bare : `${noun} ${bare}`);
      noun = '';
    } else if (bare !== '' && !small.has(bare)) noun = bare;
  }
  return found.length === 0 ? message : found.join(', ');
}

/** Why an enforced fault is held, or that a told one is not proved. */
function held(item: GateItem): readonly string[] {
  if (item.held.length > 0) return [item.held[0]!.why];
  return item.finding.certainty === 'proved' ? [] : [item.finding.certainty];
}

/** Printable ASCII only, one line: it goes into a scheduler's table, a shell variable, a label. */
export function ascii(text: string): string {
  return text
    .replaceAll('\u2026', '...')
    .replaceAll(/[\u2010-\u2015]/g, '-')
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u201C\u201D]/g, '"')
    .replaceAll(/[^\u0020-\u007E]/g, (each) => (/[\s\u0000-\u001F\u007F]/.test(each) ? ' ' : '?'))
    .replaceAll(/ {2,9999}/g, ' ')
    .trim();
}
