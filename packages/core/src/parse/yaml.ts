// The part of YAML that Kubernetes, Compose and CDI files are written in: maps, lists, plain and quoted scalars, block
// texts, lists and maps in brackets on one line. No tags, and an alias is the text it is written with.
//
// - name: main
//   args: [a, "b"]
//   message: 'Error: it''s
//     wrapped'
//   command: |
//     first
import type { Document, Line } from '../model/document.ts';
import type { ReadTree, Tree } from './tree.ts';
import { plain } from '../text/clean.ts';

const mostLines = 200_000;
const deepest = 60;
const keyPattern =
  /^(?:"((?:[^"\\]|\\.){0,200})"|'([^']{0,200})'|([^\s"'#[\]{},&*!|>%@`-][^\s:"'#]{0,200}|-[^\s:"']{1,200})):(?= |$)/;

interface Row {
  readonly indent: number;
  readonly body: string;
  readonly line: Line;
}

/**
 * Reads the YAML document that begins at a line; it ends at a prompt, at `---` or `...`, and at text that is none.
 * @returns null where the line does not begin a map or a list
 */
export function readYaml(document: Document, start: Line): ReadTree | null {
  const rows: Row[] = [];
  let last = start.index;
  for (let at = start.index; at < Math.min(document.lines.length, start.index + mostLines); at++) {
    const line = document.lines[at]!;
    if (line.prompt && at > start.index) break;
    const text = plain(line.text).trimEnd();
    if (at > start.index && /^(?:---|\.\.\.)(?:\s|$)/.test(text)) break;
    last = at;
    if (text === '---') continue;
    const body = text.trimStart();
    rows.push({ indent: text.length - body.length, body, line });
  }
  const reader = new Reader(rows);
  reader.skipEmpty();
  const first = reader.row;
  if (first === undefined || !(keyPattern.test(first.body) || /^-(?: |$)/.test(first.body))) return null;
  const root = reader.block(first.indent, 0);
  const end = reader.row;
  return {
    root,
    last: end === undefined ? last : Math.max(start.index, end.line.index - 1),
    whole: end === undefined,
  };
}

class Reader {
  private at = 0;
  private readonly rows: Row[];

  constructor(rows: Row[]) {
    this.rows = rows;
  }

  get row(): Row | undefined {
    return this.rows[this.at];
  }

  skipEmpty(): void {
    while (this.row !== undefined && (this.row.body === '' || this.row.body.startsWith('#'))) this.at++;
  }

  /** A map or a list whose entries stand at `indent`. */
  block(indent: number, depth: number): Tree {
    const first = this.row!;
    if (/^-(?: |$)/.test(first.body)) return this.listBlock(indent, depth);
    const map = new Map<string, Tree>();
    for (;;) {
      this.skipEmpty();
      const row = this.row;
      if (row === undefined || row.indent !== indent || depth > deepest) break;
      const key = keyPattern.exec(row.body);
      if (key === null) break;
      const name = key[1] ?? key[2] ?? key[3]!;
      map.set(name, this.value(row, row.body.slice(key[0].length).trim(), indent, depth));
    }
    return { map, line: first.line };
  }

  private listBlock(indent: number, depth: number): Tree {
    const first = this.row!;
    const list: Tree[] = [];
    for (;;) {
      this.skipEmpty();
      const row = this.row;
      if (row === undefined || row.indent !== indent || !/^-(?: |$)/.test(row.body) || depth > deepest) break;
      const rest = row.body.slice(1).trimStart();
      if (rest !== '' && (keyPattern.test(rest) || /^-(?: |$)/.test(rest))) {
        // The entry's own map begins in the same line, further in.
        const inner = indent + row.body.length - rest.length;
        this.rows[this.at] = { indent: inner, body: rest, line: row.line };
        list.push(this.block(inner, depth + 1));
      } else list.push(this.value(row, rest, indent, depth));
    }
    return { list, line: first.line };
  }

  /** The value behind `key:` or `-`; moves past it. */
  private value(row: Row, text: string, indent: number, depth: number): Tree {
    this.at++;
    const { line } = row;
    const body = withoutComment(text).replace(/^&\S{1,80}\s{0,4}/, '');
    if (body === '') {
      this.skipEmpty();
      const next = this.row;
      const deeper =
        next !== undefined &&
        (next.indent > indent || (next.indent === indent && /^-(?: |$)/.test(next.body) && !row.body.startsWith('-')));
      if (!deeper || depth > deepest) return { text: null, line };
      if (keyPattern.test(next.body) || /^-(?: |$)/.test(next.body)) return this.block(next.indent, depth + 1);
      return { text: this.folded('', indent), line };
    }
    if (/^[|>][-+\d]{0,2}$/.test(body)) return { text: this.literal(indent, body.startsWith('|')), line };
    const quote = body[0];
    if ((quote === '"' || quote === "'") && !closes(body, quote)) {
      let joined = body;
      let taken = 0;
      while (this.row !== undefined && taken < 200 && (this.row.indent > indent || this.row.body === '')) {
        joined += ` ${this.row.body}`;
        this.at++;
        taken++;
        if (closes(joined, quote)) break;
      }
      return { text: scalar(joined), line };
    }
    if (quote === '[' || quote === '{') {
      let joined = body;
      let taken = 0;
      while (unclosed(joined) && this.row !== undefined && taken < 200 && this.row.indent >= indent) {
        joined += ` ${this.row.body}`;
        this.at++;
        taken++;
      }
      return flow(joined, line);
    }
    return { text: scalar(this.folded(body, indent)), line };
  }

  /** A plain scalar may go on in lines that stand further in. */
  private folded(start: string, indent: number): string {
    let text = start;
    for (let taken = 0; taken < 200; taken++) {
      const row = this.row;
      if (row === undefined || row.body === '' || row.indent <= indent || row.body.startsWith('#')) break;
      text = text === '' ? row.body : `${text} ${row.body}`;
      this.at++;
    }
    return text;
  }

  private literal(indent: number, lines: boolean): string {
    const parts: string[] = [];
    while (this.row !== undefined && (this.row.indent > indent || this.row.body === '')) {
      parts.push(this.row.body);
      this.at++;
    }
    return parts.join(lines ? '\n' : ' ').trimEnd();
  }
}

function withoutComment(text: string): string {
  if (text.startsWith('#')) return '';
  if (text.startsWith('"') || text.startsWith("'")) return text;
  const mark = text.indexOf(' #');
  return mark < 0 ? text : text.slice(0, mark).trimEnd();
}

function closes(text: string, quote: string): boolean {
  for (let i = 1; i < text.length; i++) {
    if (text[i] === '\\' && quote === '"') i++;
    else if (text[i] === quote) {
      if (quote === "'" && text[i + 1] === "'") i++;
      else return true;
    }
  }
  return false;
}

function scalar(text: string): string | null {
  const quote = text[0];
  if (quote === "'") {
    const end = text.lastIndexOf("'");
    return text.slice(1, end > 0 ? end : undefined).replaceAll("''", "'");
  }
  if (quote === '"') {
    const end = text.lastIndexOf('"');
    return text
      .slice(1, end > 0 ? end : undefined)
      .replaceAll(/\\(?:(n|t)|\s|(.))/g, (_, control: string | undefined, other: string | undefined) =>
        control === undefined ? (other ?? '') : control === 'n' ? '\n' : '\t',
      );
  }
  return text === 'null' || text === '~' ? null : text;
}

function unclosed(text: string): boolean {
  let depth = 0;
  let quote = '';
  for (const char of text) {
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
  }
  return depth > 0;
}

/** `[a, "b"]` and `{a: 1, b: 2}`, one level of each. */
function flow(text: string, line: Line): Tree {
  const inner = text.slice(1, -1);
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let from = 0;
  for (let i = 0; i < inner.length; i++) {
    const char = inner[i]!;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    else if (char === ',' && depth === 0) {
      parts.push(inner.slice(from, i).trim());
      from = i + 1;
    }
  }
  parts.push(inner.slice(from).trim());
  const filled = parts.filter((part) => part !== '');
  const value = (part: string): Tree =>
    (part.startsWith('[') || part.startsWith('{')) && part.length < 4000 && text.length - part.length > 1
      ? flow(part, line)
      : { text: scalar(part), line };
  if (text.startsWith('[')) return { list: filled.map(value), line };
  const map = new Map<string, Tree>();
  for (const part of filled) {
    const colon = part.search(/:(?:\s|$)|(?<=["']):/);
    if (colon > 0) map.set(scalar(part.slice(0, colon).trim()) ?? '', value(part.slice(colon + 1).trim()));
  }
  return { map, line };
}
