import type { Line } from '../model/document.ts';
import { LineBuilder } from '../text/document.ts';
import { Hits, LiteralFinder } from '../text/literals.ts';
import { LongLine } from '../text/long-line.ts';
import type { Recogniser } from './recognise.ts';

/** What is kept of a text that never ends. Together they bound the memory, however long it runs. */
export interface FollowBounds {
  /** Hits of one literal that are kept for good, with their surroundings. */
  readonly first: number;
  /** Later hits of one literal of which the last are kept. */
  readonly last: number;
  /** Lines and characters of the first hits, and again of the last ones. */
  readonly lines: number;
  readonly characters: number;
  /** Lines that prove something in the last verdict: they stay, whatever else goes. */
  readonly pinned: number;
}

export const followBounds: FollowBounds = {
  first: 24,
  last: 24,
  lines: 3000,
  characters: 2 * 1024 * 1024,
  pinned: 1500,
};

const lineFeed = 10;
const escape = 27;
/** A line longer than this is read in slices and never held. */
const longest = 1024 * 1024;
/** Lines before the current one that stay at hand as its surroundings. */
const mostBefore = 40;
const mostAfter = 300;
const around = { before: 3, after: 5 };
/** Beside the literals: starts of lines that say what the next lines are. */
const openings: readonly string[] = ['\n# ', '\n$ ', '\n>>> '];

/** A kept line; `holds` counts the groups that it belongs to. */
interface Kept {
  readonly number: number;
  readonly column: number;
  readonly text: string;
  holds: number;
}

/** A hit with the lines around it. */
interface Group {
  readonly lines: Kept[];
  readonly until: number;
  /** Literals for whose sake it is kept. */
  holders: number;
  readonly early: boolean;
}

/**
 * Takes the bytes of a growing text and keeps the lines that hold a literal of a signature or a parser, with their
 * surroundings and true numbers, within `FollowBounds`.
 */
export class FollowWindow {
  /** Number of the last complete line. */
  lines = 0;
  /** A literal that had not been met often came by since `seen`. */
  fresh = false;
  /** Any literal came by since `seen`. */
  met = false;

  private readonly bounds: FollowBounds;
  private readonly finder: LiteralFinder;
  private readonly before: Int32Array;
  private readonly after: Int32Array;
  private readonly newline: number;
  private readonly colour: number;
  private readonly hits: Hits = new Hits();
  private readonly counts: Float64Array;
  /** Hits of the piece that is being looked at which are still to come; all 0 between pieces. */
  private readonly coming: Int32Array;
  private readonly decoder: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** The unfinished last line. */
  private rest: Uint8Array = new Uint8Array(0);
  private long: LongLine | null = null;
  private tail: string[] = [];
  private readonly kept = new Map<number, Kept>();
  private readonly slices: { readonly number: number; readonly column: number; readonly text: string }[] = [];
  private readonly rings = new Map<number, Group[]>();
  private readonly late = new Set<Group>();
  private open: Group[] = [];
  private earlyLines = 0;
  private earlyCharacters = 0;
  private lateLines = 0;
  private lateCharacters = 0;
  private pins = new Map<number, string>();

  constructor(recogniser: Recogniser, bounds: FollowBounds = followBounds) {
    this.bounds = bounds;
    this.finder = new LiteralFinder([...recogniser.finder.literals, '\n', ...openings, '\u001b']);
    const count = this.finder.literals.length;
    this.before = new Int32Array(count);
    this.after = new Int32Array(count).fill(1);
    this.counts = new Float64Array(count);
    this.coming = new Int32Array(count);
    recogniser.owners.forEach((owners, literal) => {
      for (const owner of owners) {
        const signature = recogniser.signatures[owner];
        const keep = recogniser.parsers[owner - recogniser.signatures.length]?.keep ?? around;
        const wide =
          signature === undefined ? keep : { ...around, after: Math.max(around.after, signature.joins ?? 0) };
        this.before[literal] = Math.min(mostBefore, Math.max(this.before[literal]!, wide.before));
        this.after[literal] = Math.min(mostAfter, Math.max(this.after[literal]!, wide.after));
      }
    });
    const stateAfter = (byte: number): number => {
      this.hits.count = 0;
      this.hits.makeRoom(1);
      return this.finder.scanPart(Uint8Array.of(byte), 0, 1, 0, this.hits);
    };
    this.newline = stateAfter(lineFeed);
    this.colour = stateAfter(escape);
  }

  /** @param bytes UTF-8; they are copied where they are kept. Pieces of about 1 MiB are read fastest. */
  push(bytes: Uint8Array): void {
    let from = 0;
    if (this.long !== null) {
      const end = bytes.indexOf(lineFeed);
      this.long.push(bytes.subarray(0, end < 0 ? bytes.length : end));
      if (end < 0) return;
      this.endLong();
      from = end + 1;
    }
    const last = bytes.lastIndexOf(lineFeed);
    if (last < from) {
      this.rest = joined(this.rest, bytes.subarray(from));
      if (this.rest.length > longest) this.startLong();
      return;
    }
    this.scan(joined(this.rest, bytes.subarray(from, last + 1)));
    this.rest = bytes.slice(last + 1);
    if (this.rest.length > longest) this.startLong();
  }

  /** The text ends, or another takes its place: an unfinished last line is taken as it is. */
  end(): void {
    if (this.long !== null) this.endLong();
    else if (this.rest.length > 0) {
      const line = this.rest;
      this.rest = new Uint8Array(0);
      this.scan(joined(line, Uint8Array.of(lineFeed)));
    }
  }

  /** What came by until now has been looked at. */
  seen(): void {
    this.fresh = false;
    this.met = false;
  }

  /** Looks at complete lines. */
  private scan(bytes: Uint8Array): void {
    const { hits, finder, newline, colour } = this;
    hits.count = 0;
    hits.makeRoom(bytes.length);
    finder.scanPart(bytes, 0, bytes.length, newline, hits);
    const found: { start: number; end: number; number: number; literals: number[] }[] = [];
    const starts: number[] = [];
    const { coming } = this;
    let literals: number[] = [];
    let colored = false;
    let start = 0;
    for (let i = 0; i < hits.count; i++) {
      const state = hits.states[i]!;
      if (state === colour) colored = true;
      else if (state !== newline) {
        for (const each of finder.endsIn(state))
          if (!literals.includes(each) && literals.length < 256) literals.push(each);
      } else {
        const end = hits.places[i]!;
        if (colored)
          finder.inText(withoutColour(this.decoder.decode(bytes.subarray(start, end))), (each) => {
            if (!literals.includes(each)) literals.push(each);
          });
        colored = false;
        this.lines++;
        starts.push(start);
        if (literals.length > 0) {
          found.push({ start, end, number: this.lines, literals });
          for (const each of literals) coming[each]!++;
          literals = [];
        }
        start = end + 1;
      }
    }
    const firstNumber = this.lines - starts.length + 1;
    const cache = new Map<number, Kept>();
    const lineAt = (number: number): Kept | null => {
      const known = this.kept.get(number) ?? cache.get(number);
      if (known !== undefined) return known;
      const at = number - firstNumber;
      let text: string | undefined;
      if (at < 0) text = this.tail[this.tail.length + at];
      else if (at < starts.length)
        text = this.decoder.decode(bytes.subarray(starts[at], (starts[at + 1] ?? bytes.length) - 1));
      if (text === undefined) return null;
      const made: Kept = { number, column: 1, text, holds: 0 };
      cache.set(number, made);
      return made;
    };
    // Groups that are still open go on into these lines.
    for (const group of this.open) this.extend(group, firstNumber, lineAt);
    this.open = this.open.filter((group) => group.until > this.lines && group.holders > 0);
    for (const { number, literals: ids } of found) {
      const wanted: number[] = [];
      let early = false;
      let before = 0;
      let after = 0;
      for (const literal of ids) {
        const count = ++this.counts[literal]!;
        const ahead = --coming[literal]!;
        this.met = true;
        if (count <= this.bounds.first + this.bounds.last) this.fresh = true;
        const full = this.earlyLines >= this.bounds.lines || this.earlyCharacters >= this.bounds.characters;
        if (count <= this.bounds.first && !full) early = true;
        // Of later ones only the last of these lines can stay.
        else if (ahead < this.bounds.last) wanted.push(literal);
        else continue;
        before = Math.max(before, this.before[literal]!);
        after = Math.max(after, this.after[literal]!);
      }
      if (early || wanted.length > 0) this.keep(number, before, after, early, wanted, lineAt);
    }
    this.tail = [...this.tail, ...lastLines(bytes, starts, this.decoder)].slice(-mostBefore);
  }

  private keep(
    number: number,
    before: number,
    after: number,
    early: boolean,
    literals: readonly number[],
    lineAt: (number: number) => Kept | null,
  ): void {
    const group: Group = { lines: [], until: number + after, holders: (early ? 1 : 0) + literals.length, early };
    if (!early) this.late.add(group);
    this.extend(group, number - before, lineAt);
    if (group.until > this.lines) this.open.push(group);
    for (const literal of literals) {
      const ring = this.rings.get(literal) ?? [];
      this.rings.set(literal, ring);
      ring.push(group);
      if (ring.length > this.bounds.last) this.release(ring.shift()!);
    }
    while (this.lateLines > this.bounds.lines || this.lateCharacters > this.bounds.characters) {
      const [oldest] = this.late;
      if (oldest === undefined) break;
      oldest.holders = 1;
      this.release(oldest);
    }
  }

  private extend(group: Group, from: number, lineAt: (number: number) => Kept | null): void {
    const start = Math.max(from, (group.lines.at(-1)?.number ?? 0) + 1, 1);
    for (let number = start; number <= Math.min(group.until, this.lines); number++) {
      const line = lineAt(number);
      if (line === null) continue;
      group.lines.push(line);
      line.holds++;
      if (this.kept.get(number) === undefined) this.kept.set(number, line);
      if (group.early) {
        this.earlyLines++;
        this.earlyCharacters += line.text.length;
      } else {
        this.lateLines++;
        this.lateCharacters += line.text.length;
      }
    }
  }

  private release(group: Group): void {
    if (group.holders <= 0 || --group.holders > 0 || group.early) return;
    this.late.delete(group);
    for (const line of group.lines) {
      this.lateLines--;
      this.lateCharacters -= line.text.length;
      if (--line.holds === 0) this.kept.delete(line.number);
    }
    group.lines.length = 0;
  }

  private startLong(): void {
    this.long = new LongLine(this.finder);
    this.long.push(this.rest);
    this.rest = new Uint8Array(0);
  }

  private endLong(): void {
    this.lines++;
    const slices = this.long!.finish();
    this.long = null;
    if (slices.length === 0) return;
    this.met = true;
    this.fresh = true;
    for (const slice of slices.slice(0, 40)) this.slices.push({ number: this.lines, ...slice });
    if (this.slices.length > 160) this.slices.splice(80, this.slices.length - 160);
  }

  /** Keeps the lines of these numbers and their neighbours until the next call, whatever else goes. */
  pin(numbers: readonly number[]): void {
    const pins = new Map<number, string>();
    for (const number of numbers) {
      for (let at = number - 2; at <= number + 6 && pins.size < this.bounds.pinned; at++) {
        const text = this.kept.get(at)?.text ?? this.pins.get(at);
        if (text !== undefined) pins.set(at, text);
      }
    }
    this.pins = pins;
  }

  /** The pinned lines only: what stays of a text that was replaced by another. */
  pinned(): readonly Line[] {
    return built([...this.pins].map(([number, text]) => ({ number, column: 1, text })));
  }

  /** Every line that is kept, in order. */
  snapshot(): readonly Line[] {
    const lines: { number: number; column: number; text: string }[] = [...this.kept.values(), ...this.slices];
    for (const [number, text] of this.pins) if (!this.kept.has(number)) lines.push({ number, column: 1, text });
    return built(lines);
  }
}

function built(lines: { readonly number: number; readonly column: number; readonly text: string }[]): readonly Line[] {
  lines.sort((a, b) => a.number - b.number || a.column - b.column);
  const builder = new LineBuilder();
  let last = 0;
  for (const { number, column, text } of lines) {
    if (number > last + 1) builder.gap();
    last = number;
    if (column > 1) builder.pushSlice(number, column, text);
    else builder.push(number, text);
  }
  return builder.lines;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function lastLines(bytes: Uint8Array, starts: readonly number[], decoder: TextDecoder): readonly string[] {
  const texts: string[] = [];
  for (let at = Math.max(0, starts.length - mostBefore); at < starts.length; at++)
    texts.push(decoder.decode(bytes.subarray(starts[at], (starts[at + 1] ?? bytes.length) - 1)));
  return texts;
}

function withoutColour(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[\d;?]{0,32}[@-~]/g, '');
}
