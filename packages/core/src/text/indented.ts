// Output that somebody set off by indentation below a sentence, as Markdown, mails and wikis have it.

/** Longer texts are logs. */
const longest = 256 * 1024;

/** A block of indented lines. */
export interface IndentedBlock {
  /** Lines from 1. */
  readonly from: number;
  readonly to: number;
  readonly indent: number;
}

const start = /^( {4,8}|\t)\S/;

/** A sentence of a person at the margin: plain words, and an end. */
function isSentence(line: string, fewest: number): boolean {
  if (line.length > 2000 || !/^[\p{Lu}\p{Ll}]/u.test(line) || /[{}=<>|[\]\\]/.test(line)) return false;
  const words = line.match(/(?:^|\s)[\p{L}’']{1,24}(?=[\s,.;:?!]|$)/gu)?.length ?? 0;
  return words >= fewest && words >= line.split(/\s+/).length * 0.7;
}

/**
 * Finds blocks of lines that stand deeper than the sentences around them, between gaps. Output that is indented by
 * itself has no sentence of a person above its gap.
 */
export function indentedBlocks(text: string): readonly IndentedBlock[] {
  if (text.length > longest || !/\n[ \t]{0,8}\r?\n(?: {4}|\t)/.test(text)) return [];
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const blocks: IndentedBlock[] = [];
  for (let at = 2; at < lines.length; at++) {
    const indent = start.exec(lines[at]!)?.[1];
    if (indent === undefined || lines[at - 1]!.trim() !== '') continue;
    const above = lines[at - 2]!.trimEnd();
    if (!/[:.?!,]$/.test(above) || !isSentence(above, 5)) continue;
    let end = at;
    while (end + 1 < lines.length && (lines[end + 1]!.trim() === '' || lines[end + 1]!.startsWith(indent))) end++;
    const next = lines[end + 1];
    const closed = next === undefined || (lines[end]!.trim() === '' && isSentence(next, 3));
    if (closed) blocks.push({ from: at + 1, to: end + 1, indent: indent.length });
    at = end;
  }
  return blocks;
}
