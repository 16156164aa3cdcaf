import type { Document } from '../model/document.ts';
import type { Recogniser } from '../diagnose/recognise.ts';
import { LineBuilder } from './document.ts';
import type { KeptLine, LineSource, Place, Room, Surroundings } from './kept-lines.ts';
import { KeptLines, roomOf } from './kept-lines.ts';
import type { Lanes } from './literals.ts';
import { Hits, LiteralFinder } from './literals.ts';
import { shapeOf } from './shape.ts';
import type { Slice } from './long-line.ts';
import { LongLine } from './long-line.ts';

/** Inputs up to this size are held whole. */
export const wholeLimit: number = 8 * 1024 * 1024;

/** A line longer than this is read in slices and never held. */
const longest = 1024 * 1024;
const bufferLength = 2 * longest;
/** Bytes that are looked at in one go. */
const blockLength = 256 * 1024;
/** Bytes before the current line that stay at hand as its surroundings. */
const contextBytes = 64 * 1024;
const lineFeed = 10;
const escape = 27;
/** Different literals of one line that are noted. */
const mostHits = 256;

/** Surroundings of a message, for its reader and for messages of several lines. */
const around = { before: 3, after: 5 };
/** Beside the literals: starts of lines that say what the next lines are (remarks and prompts of a paste). */
const openings: readonly string[] = ['\n# ', '\n$ ', '\n>>> '];

/**
 * Takes the bytes of a text of any size and makes a document of it in bounded memory. A text up to `wholeLimit` is
 * given back whole; of a longer one the lines stay that hold a literal of a signature or a parser, with their
 * surroundings and their true line numbers, and what was left out is said.
 */
export class Condenser {
  private readonly recogniser: Recogniser;
  private readonly file: string | null;
  private readonly whole: number;
  private readonly room: Room;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private scanner: Scanner | null = null;

  /** @param options `whole`: most bytes that are held whole; `share`: part of the usual room that a longer text gets */
  constructor(
    recogniser: Recogniser,
    file: string | null,
    options: { readonly whole?: number; readonly share?: number } = {},
  ) {
    this.recogniser = recogniser;
    this.file = file;
    this.whole = options.whole ?? wholeLimit;
    this.room = roomOf(options.share ?? 1);
  }

  /** @param bytes UTF-8; they are copied where they are kept */
  push(bytes: Uint8Array): void {
    if (this.scanner !== null) {
      this.scanner.push(bytes);
      return;
    }
    this.heldBytes += bytes.length;
    if (this.heldBytes <= this.whole) {
      this.held.push(bytes.slice());
      return;
    }
    this.scanner = new Scanner(this.recogniser, this.room);
    for (const each of this.held) this.scanner.push(each);
    this.scanner.push(bytes);
    this.held = [];
  }

  /**
   * @param left what the reader of the bytes left out, in words
   * @returns the text where it was held whole, else the condensed document
   */
  finish(left: readonly string[] = []): { readonly text: string } | Document {
    if (this.scanner === null) {
      const decoder = new TextDecoder();
      const text = this.held.map((each) => decoder.decode(each, { stream: true })).join('') + decoder.decode();
      return { text };
    }
    const { lines, left: own } = this.scanner.finish();
    return { file: this.file, source: 'text', subject: 'text', lines, left: [...left, ...own] };
  }
}

/** What all scanners of one recogniser share. */
interface Tables {
  readonly finder: LiteralFinder;
  readonly surroundings: Surroundings;
  /** State after a line feed. */
  readonly newline: number;
  /** State after the start of a terminal control sequence. */
  readonly colour: number;
  /** Scratch space: a scan is over before the next one starts. */
  readonly parts: Lanes;
  readonly lineHits: Hits;
  /** Buffers that no scanner uses any more. */
  readonly buffers: Uint8Array[];
}

function tellsOfFailure(signature: Recogniser['signatures'][number] | undefined): boolean {
  return signature !== undefined && signature.role !== 'benign' && !['info', 'warning'].includes(signature.severity);
}

const tables = new WeakMap<Recogniser, Tables>();

function tablesOf(recogniser: Recogniser): Tables {
  const known = tables.get(recogniser);
  if (known !== undefined) return known;
  const finder = new LiteralFinder([...recogniser.finder.literals, '\n', ...openings, '\u001b']);
  const count = finder.literals.length;
  const surroundings: Surroundings = {
    before: new Int32Array(count),
    after: new Int32Array(count).fill(1),
    failures: new Uint8Array(count),
  };
  recogniser.owners.forEach((owners, literal) => {
    for (const owner of owners) {
      const signature = recogniser.signatures[owner];
      const parser = recogniser.parsers[owner - recogniser.signatures.length];
      const keep = parser?.keep ?? around;
      const { before, after } =
        signature === undefined ? keep : { before: around.before, after: Math.max(around.after, signature.joins ?? 0) };
      if (parser?.failures === true || tellsOfFailure(signature)) surroundings.failures[literal] = 1;
      surroundings.before[literal] = Math.max(surroundings.before[literal]!, before);
      surroundings.after[literal] = Math.max(surroundings.after[literal]!, after);
    }
  });
  const parts: Lanes = [new Hits(), new Hits(), new Hits(), new Hits()];
  const after = (byte: number): number => finder.scanPart(Uint8Array.of(byte), 0, 1, 0, parts[0]);
  const newline = after(lineFeed);
  const colour = after(escape);
  const made: Tables = {
    finder,
    surroundings,
    newline,
    colour,
    parts,
    lineHits: new Hits(),
    buffers: [],
  };
  tables.set(recogniser, made);
  return made;
}

class Scanner implements LineSource {
  private readonly finder: LiteralFinder;
  private readonly names: readonly string[];
  /** State after a line feed. */
  private readonly newline: number;
  /** State after the start of a terminal control sequence. */
  private readonly colour: number;
  private readonly room: Room;
  private readonly kept: KeptLines;
  private readonly slices: { readonly number: number; readonly slices: readonly Slice[] }[] = [];
  private readonly left: string[] = [];

  private readonly decoder: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly buffer: Uint8Array;
  private readonly buffers: Uint8Array[];
  private fill = 0;
  /** Start of the first line that was not looked at, in `buffer`. */
  private lineStart = 0;
  /** Its number. */
  private number = 1;
  private long: LongLine | null = null;
  private readonly hits: Int32Array = new Int32Array(mostHits);
  private hitCount = 0;
  /** The current line holds terminal control sequences. */
  private colored = false;
  private readonly parts: Lanes;
  private readonly lineHits: Hits;

  constructor(recogniser: Recogniser, room: Room) {
    const shared = tablesOf(recogniser);
    const { finder, surroundings, newline, colour } = shared;
    this.buffers = shared.buffers;
    this.buffer = shared.buffers.pop() ?? new Uint8Array(bufferLength);
    this.parts = shared.parts;
    this.lineHits = shared.lineHits;
    this.names = recogniser.finder.literals;
    this.finder = finder;
    this.newline = newline;
    this.colour = colour;
    this.room = room;
    this.kept = new KeptLines(this, surroundings, room);
  }

  push(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      if (this.long !== null) {
        from = this.pushLong(bytes, from);
        continue;
      }
      if (this.fill === bufferLength) this.compact();
      const count = Math.min(bytes.length - from, bufferLength - this.fill);
      this.buffer.set(bytes.subarray(from, from + count), this.fill);
      this.fill += count;
      from += count;
      this.scanLines();
      if (this.fill - this.lineStart > longest) this.startLong();
    }
  }

  /** Looks at every complete line of the buffer, in blocks whose hits stay close at hand. */
  private scanLines(): void {
    const end = this.buffer.lastIndexOf(lineFeed, this.fill - 1);
    while (this.lineStart <= end) {
      const next = this.buffer.indexOf(lineFeed, Math.min(end, this.lineStart + blockLength));
      this.scanBlock(next + 1);
    }
  }

  /** @param end the place after a line feed */
  private scanBlock(end: number): void {
    const { buffer, lineStart, newline, colour } = this;
    const lines = buffer.subarray(lineStart, end);
    // All parts start after a line feed; where lines are long, some are empty.
    const startAfter = (quarter: number): number => lines.indexOf(lineFeed, (lines.length * quarter) >> 2) + 1;
    for (const part of this.parts) part.count = 0;
    this.finder.scan(lines, [startAfter(1), startAfter(2), startAfter(3)], this.newline, this.parts);
    for (const { count, states, places } of this.parts) {
      for (let i = 0; i < count; i++) {
        const state = states[i]!;
        if (state === newline) this.endLine(lineStart + places[i]!);
        else if (state === colour) this.colored = true;
        else this.note(this.finder.endsIn(state));
      }
    }
  }

  private note(literals: readonly number[]): void {
    for (const literal of literals) {
      let known = this.hitCount === mostHits;
      for (let i = 0; i < this.hitCount; i++) if (this.hits[i] === literal) known = true;
      if (!known) this.hits[this.hitCount++] = literal;
    }
  }

  private endLine(end: number): void {
    if (this.colored) this.lookBehindEscapes(end);
    if (this.hitCount > 0 || this.kept.wants(this.number)) {
      this.kept.take(this.number, this.lineStart, end, this.hits, this.hitCount);
      this.hitCount = 0;
    }
    this.number++;
    this.lineStart = end + 1;
  }

  /** Literals of a line whose characters are torn apart by colour codes. */
  private lookBehindEscapes(end: number): void {
    this.colored = false;
    const line = withoutEscapes(this.buffer.subarray(this.lineStart, end));
    const found = this.lineHits;
    found.count = 0;
    found.makeRoom(line.length);
    this.finder.scanPart(line, 0, line.length, this.newline, found);
    for (let i = 0; i < found.count; i++) this.note(this.finder.endsIn(found.states[i]!));
  }

  shape(place: Place): number {
    return shapeOf(this.buffer, place.start, place.end);
  }

  copy(place: Place): KeptLine {
    return { number: place.number, text: this.decoder.decode(this.buffer.subarray(place.start, place.end)) };
  }

  before(place: Place, most: number): readonly Place[] {
    const places: Place[] = [];
    let end = place.start - 1;
    for (let number = place.number - 1; number >= place.number - most && end >= 0; number--) {
      const start = end === 0 ? 0 : this.buffer.lastIndexOf(lineFeed, end - 1) + 1;
      // The first line of the buffer may be the rest of one.
      if (start === 0 && number > 1) break;
      places.push({ number, start, end });
      end = start - 1;
    }
    return places;
  }

  after(place: Place): Place | null {
    const start = place.end + 1;
    if (start >= this.lineStart) return null;
    return { number: place.number + 1, start, end: this.buffer.indexOf(lineFeed, start) };
  }

  /** Makes room: keeps the unfinished line and a little before it. */
  private compact(): void {
    this.kept.flush(false);
    const from = Math.max(0, this.lineStart - contextBytes);
    this.buffer.copyWithin(0, from, this.fill);
    this.fill -= from;
    this.lineStart -= from;
    // Nothing to keep before it and still full: the caller starts a long line.
    if (this.fill === bufferLength) this.startLong();
  }

  private startLong(): void {
    this.kept.flush(false);
    this.long = new LongLine(this.finder);
    this.long.push(this.buffer.subarray(this.lineStart, this.fill));
    this.fill = 0;
    this.lineStart = 0;
  }

  private pushLong(bytes: Uint8Array, from: number): number {
    const end = bytes.indexOf(lineFeed, from);
    const piece = bytes.subarray(from, Math.min(end < 0 ? bytes.length : end, from + longest));
    this.long!.push(piece);
    if (end < 0 || from + piece.length < end) return from + piece.length;
    this.endLong();
    return end + 1;
  }

  private endLong(): void {
    const slices = this.long!.finish();
    if (slices.length > 0) this.slices.push({ number: this.number, slices });
    this.left.push(
      `line ${this.number} is ${counted(this.long!.length)} characters long; of it ${counted(slices.length)} pieces were kept${this.long!.hits > slices.length ? `, ${counted(this.long!.hits - slices.length)} more hold a known message` : ''}`,
    );
    this.long = null;
    this.number++;
    this.hitCount = 0;
    this.colored = false;
  }

  finish(): { readonly lines: LineBuilder['lines']; readonly left: readonly string[] } {
    if (this.long !== null) this.endLong();
    else if (this.fill > this.lineStart) this.push(Uint8Array.of(lineFeed));
    this.kept.flush(true);
    this.buffers.push(this.buffer);
    const lines = this.number - 1;
    const builder = new LineBuilder();
    const kept = this.kept.all();
    const longOnes = [...this.slices];
    let last = 0;
    const next = (number: number): void => {
      if (number !== last + 1) builder.gap();
      last = number;
    };
    const putLong = (before: number): void => {
      while (longOnes.length > 0 && longOnes[0]!.number < before) {
        const { number, slices } = longOnes.shift()!;
        next(number);
        for (const slice of slices) builder.pushSlice(number, slice.column, slice.text);
      }
    };
    for (const line of kept) {
      putLong(line.number);
      next(line.number);
      builder.push(line.number, line.text);
    }
    putLong(Number.POSITIVE_INFINITY);
    builder.probed.finish();
    return {
      lines: builder.lines,
      left: [...this.saidOf(lines, kept.length), ...this.left.slice(0, 4), ...builder.left],
    };
  }

  private saidOf(lines: number, kept: number): readonly string[] {
    const frequent = this.names
      .map((name, literal) => ({ name, count: this.kept.counts[literal]! }))
      .filter((each) => each.count > this.room.first + this.room.last)
      .sort((a, b) => b.count - a.count)
      .slice(0, 4);
    return [
      `kept ${counted(kept)} of ${counted(lines)} lines: those with a known message or tool output, and the lines around them`,
      ...frequent.map(
        (each) =>
          `${counted(each.count)} lines hold "${each.name}": the first ${this.room.first} and up to ${this.room.last} of the last were kept`,
      ),
      ...(this.kept.full
        ? ['so many lines hold known messages that of later ones only the last of each kind were kept']
        : []),
    ];
  }
}

function counted(number: number): string {
  return number.toLocaleString('en-US');
}

/** The bytes without terminal control sequences, as `plain` takes them out of a text; line feeds stay. */
function withoutEscapes(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let size = 0;
  let from = 0;
  for (let at = bytes.indexOf(escape); at >= 0; at = bytes.indexOf(escape, from)) {
    out.set(bytes.subarray(from, at), size);
    size += at - from;
    from = endOfEscape(bytes, at);
  }
  out.set(bytes.subarray(from), size);
  return out.subarray(0, size + bytes.length - from);
}

function endOfEscape(bytes: Uint8Array, at: number): number {
  const kind = bytes[at + 1];
  let end = at + 2;
  if (kind === lineFeed) return at + 1;
  if (kind === 0x5b) {
    while (end < bytes.length && end < at + 64 && bytes[end] !== lineFeed) {
      const code = bytes[end++]!;
      if (code >= 0x40 && code <= 0x7e) break;
    }
    return end;
  }
  if (kind === 0x5d) {
    while (end < bytes.length && end < at + 2048 && bytes[end] !== lineFeed) {
      const code = bytes[end++]!;
      if (code === 7) break;
      if (code === escape) return bytes[end] === 0x5c ? end + 1 : end;
    }
    return end;
  }
  return Math.min(end, bytes.length);
}
