import type { Decision, GateItem } from '../gate/decision.ts';

/** Longest line of the gate: what a scheduler keeps as a reason. */
export const longestLine = 100;

const words = { enforced: 'enforced', held: 'held', warn: 'warn', ok: 'ok', unknown: 'unknown' } as const;

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
  const says = first === undefined ? decision.headline : `${first.finding.rule}: ${first.finding.message}`;
  return oneLine(`culprit: ${words[decision.outcome]}`, says, notes, width);
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
  const part = shown.length <= room ? shown : `${shown.slice(0, Math.max(0, room - 3)).trimEnd()}...`;
  return `${start}${part}${tail}`.slice(0, width);
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
