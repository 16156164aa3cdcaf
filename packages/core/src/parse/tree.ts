// JSON and YAML as trees whose parts know their lines. Both are read as far as they go: what is pasted is often cut.
//
// {"kind":"Pod","status":{"phase":"Running"}}
// kind: Pod
// status:
//   phase: Running
import type { Document, Line } from '../model/document.ts';
import { plain } from '../text/clean.ts';

/** One value with the line it stands in. */
export interface Tree {
  /** A scalar as text, null for `null`; absent where this is a map or a list. */
  readonly text?: string | null;
  readonly map?: ReadonlyMap<string, Tree>;
  readonly list?: readonly Tree[];
  readonly line: Line;
}

export interface ReadTree {
  readonly root: Tree;
  /** Index of the last line that belongs to it. */
  readonly last: number;
  /** False where it was cut off or a limit was reached. */
  readonly whole: boolean;
}

const mostNodes = 2_000_000;
const deepest = 60;
/** Most characters of one document that are read. */
export const longestTree: number = 32 * 1024 * 1024;

/** The value at a path of keys; numbers are places of lists. */
export function at(tree: Tree | undefined, ...path: readonly (string | number)[]): Tree | undefined {
  let value = tree;
  for (const key of path) {
    if (value === undefined) return undefined;
    value = typeof key === 'number' ? value.list?.[key] : value.map?.get(key);
  }
  return value;
}

/** The text of a scalar; null where there is none. */
export function textAt(tree: Tree | undefined, ...path: readonly (string | number)[]): string | null {
  return at(tree, ...path)?.text ?? null;
}

/** A whole number of a scalar; null where it is none. */
export function numberAt(tree: Tree | undefined, ...path: readonly (string | number)[]): number | null {
  const text = textAt(tree, ...path);
  return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

export function truthAt(tree: Tree | undefined, ...path: readonly (string | number)[]): boolean | null {
  const text = textAt(tree, ...path);
  return text === 'true' ? true : text === 'false' ? false : null;
}

export function listAt(tree: Tree | undefined, ...path: readonly (string | number)[]): readonly Tree[] {
  return at(tree, ...path)?.list ?? [];
}

export function entriesAt(
  tree: Tree | undefined,
  ...path: readonly (string | number)[]
): readonly (readonly [string, Tree])[] {
  return [...(at(tree, ...path)?.map ?? [])];
}

/** Characters of lines, one after the other; the pieces of a long line are put together. */
class Characters {
  line: Line;
  private text: string;
  private index: number;
  private place = 0;
  private taken = 0;
  private readonly document: Document;
  ended = false;

  constructor(document: Document, start: Line, from: number) {
    this.document = document;
    this.line = start;
    this.text = plain(start.text);
    this.index = start.index + 1;
    this.place = from;
  }

  /** The next character that is not looked at, empty at the end. */
  peek(): string {
    while (this.place >= this.text.length) {
      if (!this.more()) return '';
    }
    return this.text.charAt(this.place);
  }

  next(): void {
    this.place++;
  }

  /** Rest of the current line from the next character on. */
  rest(): string {
    return this.text.slice(this.place);
  }

  skip(count: number): void {
    this.place += count;
  }

  /** Goes on to the next line; what was looked at of the old one is left behind. */
  more(): boolean {
    const before = this.line;
    const line = this.document.lines[this.index];
    this.taken += this.text.length;
    if (line === undefined || line.prompt || this.taken > longestTree) {
      this.ended = true;
      this.text = '';
      this.place = 0;
      return false;
    }
    this.index++;
    this.line = line;
    const whole = plain(line.text);
    // In the probe's own text every line of an observation begins with a bar.
    const shown = line.column === 1 && whole.startsWith('|') && !line.clean.startsWith('|') ? whole.slice(1) : whole;
    if (line.number === before.number && line.column > before.column) {
      // The next piece of a long line overlaps this one; the pieces of a line whose middle is missing do not join.
      const skip = before.column + before.text.length - line.column;
      this.text = skip >= 0 ? shown.slice(skip) : shown;
    } else if (line.number === before.number) return this.more();
    else this.text = `\n${shown}`;
    this.place = 0;
    return true;
  }

  /** Index of the last line that was looked at. */
  get last(): number {
    return this.line.index;
  }
}

/**
 * Reads the JSON value that begins at a line.
 * @param from place of its first character in the line
 * @returns null where no object or array begins there
 */
export function readJson(document: Document, start: Line, from: number): ReadTree | null {
  const reader = new Characters(document, start, from);
  const first = reader.peek();
  if (first !== '{' && first !== '[') return null;
  const state = { nodes: 0, whole: true };
  const root = jsonValue(reader, 0, state);
  return root === null ? null : { root, last: reader.last, whole: state.whole };
}

interface State {
  nodes: number;
  whole: boolean;
}

function blank(reader: Characters): string {
  for (;;) {
    const char = reader.peek();
    if (char !== ' ' && char !== '\n' && char !== '\t' && char !== '\r') return char;
    reader.next();
  }
}

function jsonValue(reader: Characters, depth: number, state: State): Tree | null {
  const char = blank(reader);
  const { line } = reader;
  if (++state.nodes > mostNodes || depth > deepest) {
    state.whole = false;
    return null;
  }
  if (char === '{') {
    reader.next();
    const map = new Map<string, Tree>();
    while (state.whole) {
      const key = blank(reader);
      if (key === '}') {
        reader.next();
        break;
      }
      if (key === ',') {
        reader.next();
        continue;
      }
      const name = key === '"' ? jsonString(reader) : null;
      if (name === null || blank(reader) !== ':') {
        state.whole = false;
        break;
      }
      reader.next();
      const value = jsonValue(reader, depth + 1, state);
      if (value === null) state.whole = false;
      else map.set(name, value);
    }
    return { map, line };
  }
  if (char === '[') {
    reader.next();
    const list: Tree[] = [];
    while (state.whole) {
      const each = blank(reader);
      if (each === ']') {
        reader.next();
        break;
      }
      if (each === ',') {
        reader.next();
        continue;
      }
      const value = jsonValue(reader, depth + 1, state);
      if (value === null) state.whole = false;
      else list.push(value);
    }
    return { list, line };
  }
  if (char === '"') {
    const text = jsonString(reader);
    return text === null ? null : { text, line };
  }
  const word = /^(?:-?\d[\d.eE+-]{0,40}|true|false|null)/.exec(reader.rest())?.[0];
  if (word === undefined) return null;
  reader.skip(word.length);
  return { text: word === 'null' ? null : word, line };
}

function jsonString(reader: Characters): string | null {
  reader.next();
  let text = '';
  for (;;) {
    if (reader.peek() === '') return null;
    const rest = reader.rest();
    let end = 0;
    while (end < rest.length && rest[end] !== '"' && rest[end] !== '\\' && rest[end] !== '\n') end++;
    text += rest.slice(0, end);
    reader.skip(end);
    if (end === rest.length) continue;
    const char = rest[end];
    reader.next();
    if (char === '"') return text;
    // A string does not go over a line's end; text that was wrapped by a terminal does.
    if (char === '\n') return null;
    const code = reader.peek();
    reader.next();
    if (code === 'u') {
      let hex = '';
      for (let i = 0; i < 4; i++) {
        hex += reader.peek();
        reader.next();
      }
      text += /^[\da-fA-F]{4}$/.test(hex) ? String.fromCharCode(Number.parseInt(hex, 16)) : '\ufffd';
    } else text += { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[code] ?? code;
  }
}
