// Comma-separated text as tools print it: quotes by RFC 4180, other output before and between.

/** One record with the lines it stands on. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** Character in its line (from 0) at which each cell begins. */
  readonly starts: readonly number[];
  /** Line number of its first line, from 1. */
  readonly line: number;
  /** Its text, line feeds of quoted cells included. */
  readonly text: string;
}

/** Most lines that one record may have: a quote that is never closed must not swallow the file. */
const longestRecord = 200;

/**
 * The record that begins at a line; null where a quote is not closed within `longestRecord` lines.
 * @param lines the lines of the text, without line feeds
 */
export function recordAt(lines: readonly string[], at: number, delimiter: string): CsvRecord | null {
  const first = lines[at];
  if (first === undefined) return null;
  let text = first;
  let used = 1;
  while (oddQuotes(text)) {
    const next = lines[at + used];
    if (next === undefined || used >= longestRecord) return null;
    text += `\n${next}`;
    used++;
  }
  const { cells, starts } = split(text, delimiter);
  return { cells, starts, line: at + 1, text };
}

/** Lines that a record takes. */
export function linesOf(record: CsvRecord): number {
  let count = 1;
  for (let at = record.text.indexOf('\n'); at >= 0; at = record.text.indexOf('\n', at + 1)) count++;
  return count;
}

function oddQuotes(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

function split(text: string, delimiter: string): { readonly cells: string[]; readonly starts: number[] } {
  const cells: string[] = [];
  const starts: number[] = [];
  let at = 0;
  for (;;) {
    starts.push(at);
    if (text[at] === '"') {
      let cell = '';
      let from = at + 1;
      for (;;) {
        const quote = text.indexOf('"', from);
        if (quote < 0) {
          cell += text.slice(from);
          at = text.length;
          break;
        }
        cell += text.slice(from, quote);
        if (text[quote + 1] === '"') {
          cell += '"';
          from = quote + 2;
          continue;
        }
        // What stands between a closing quote and the delimiter belongs to nothing.
        const end = text.indexOf(delimiter, quote + 1);
        at = end < 0 ? text.length : end;
        break;
      }
      cells.push(cell);
    } else {
      const end = text.indexOf(delimiter, at);
      cells.push(text.slice(at, end < 0 ? text.length : end).trim());
      at = end < 0 ? text.length : end;
    }
    if (at >= text.length) return { cells, starts };
    at += delimiter.length;
  }
}
