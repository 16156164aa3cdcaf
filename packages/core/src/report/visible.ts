import { withoutSequences } from '../text/clean.ts';

/**
 * A stranger's text as it may stand on a terminal or a page: no control sequences, no characters that turn the direction
 * of writing or take no place. What is taken out is shown as its code. Nothing that a carriage return would overwrite
 * is lost: it may be what matters.
 */
export function visible(text: string): string {
  return withoutSequences(text.endsWith('\r') ? text.slice(0, -1) : text).replaceAll(hidden, (each) =>
    each === '\t' ? '    ' : `\\u{${each.codePointAt(0)!.toString(16)}}`,
  );
}

/** The same for a whole page, whose line ends stay. */
export function visiblePage(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.endsWith('\r') ? `${visible(line.slice(0, -1))}\r` : visible(line)))
    .join('\n');
}

/** C0 and C1 controls, soft hyphen, zero-width and direction characters (Unicode categories Cc and Cf, in part), surrogates alone. */
export const hidden: RegExp =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Cuts a text to a width and says with an ellipsis where.
 * @param part what of the text must stay in sight, as far as there is room
 */
export function cut(text: string, width: number, part: { readonly start: number; readonly length: number }): string {
  if (text.length <= width) return text;
  const room = Math.max(8, width);
  if (part.start + part.length < room) return `${text.slice(0, room - 1)}…`;
  const before = Math.max(2, Math.min(Math.floor(room / 3), room - part.length - 2));
  const start = Math.min(Math.max(0, part.start - before), text.length - room + 1);
  const end = start + room - 2;
  return `…${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** Breaks a text at spaces; a word longer than the width stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}
