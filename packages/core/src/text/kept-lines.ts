import { Shapes } from './shape.ts';

/** A line that was kept, with its number. Text, not bytes: many small byte arrays outlive their use. */
export interface KeptLine {
  readonly number: number;
  readonly text: string;
}

/** Where a line stands in the buffer that is being read: it can be copied from there until `flush`. */
export interface Place {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** The buffer that is being read. */
export interface LineSource {
  copy(place: Place): KeptLine;
  /** A number for the wording of a line. */
  shape(place: Place): number;
  /** Lines before a place, nearest first, as far as they are still there. */
  before(place: Place, most: number): readonly Place[];
  /** The next complete line; null where it is not there yet. */
  after(place: Place): Place | null;
}

/** How many lines around a hit of each literal belong to it. */
export interface Surroundings {
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** 1 where lines with the literal tell of failures. */
  readonly failures: Uint8Array;
}

/** A late hit with the lines around it. */
interface Late {
  readonly lines: KeptLine[];
  readonly until: number;
  bytes: number;
}

/** How much of one input is kept. */
export interface Room {
  /** Hits of one literal that are kept from the start of the input, and from its end. */
  readonly first: number;
  readonly last: number;
  readonly lines: number;
  readonly bytes: number;
  readonly lateBytes: number;
}

export const fullRoom: Room = {
  first: 300,
  last: 60,
  lines: 16_000,
  bytes: 12 * 1024 * 1024,
  lateBytes: 8 * 1024 * 1024,
};
const fewestLate = 4;

/** A part of the full room, for one of many inputs. @param share above 0, at most 1 */
export function roomOf(share: number): Room {
  const part = (of: number, least: number): number => Math.max(least, Math.round(of * share));
  return {
    first: part(fullRoom.first, 8),
    last: part(fullRoom.last, fewestLate),
    lines: part(fullRoom.lines, 400),
    bytes: part(fullRoom.bytes, 128 * 1024),
    lateBytes: part(fullRoom.lateBytes, 64 * 1024),
  };
}
const clip = 2048;
/** Lines around one that was kept for its wording. */
const wordedAround = 8;

/**
 * Holds the lines of a huge input that matter, in bounded memory: the first hits of every literal with their
 * surroundings, and of frequent ones the last. Late hits are only noted while they pass; what is still among the last
 * when the buffer moves on is copied then.
 */
export class KeptLines {
  private readonly source: LineSource;
  private readonly surroundings: Surroundings;
  private readonly early = new Map<number, KeptLine>();
  private earlyBytes = 0;
  private readonly noted = new Map<number, Notes>();
  private readonly late = new Map<number, Late[]>();
  private open: Late[] = [];
  private lateBytes = 0;
  private ring: number;
  private readonly room: Room;
  /** Lines up to this number follow an early hit. */
  private until = 0;
  private readonly shapes = new Shapes();
  /** Lines that were kept for their wording alone. */
  private worded = 0;
  /** Hits by literal. */
  readonly counts: Int32Array;
  /** True once so many lines mattered that of later ones only the last of each kind are kept. */
  full = false;

  constructor(source: LineSource, surroundings: Surroundings, room: Room) {
    this.source = source;
    this.room = room;
    this.ring = room.last;
    this.surroundings = surroundings;
    this.counts = new Int32Array(surroundings.before.length);
  }

  /** True where a line is kept although it has no hit of its own. */
  wants(number: number): boolean {
    return number <= this.until || this.open.length > 0;
  }

  /**
   * Takes a line that has hits, or that `wants` asked for.
   * @param hits literals in the line, the first `hitCount` of the list
   */
  take(number: number, start: number, end: number, hits: Int32Array, hitCount: number): void {
    const { before, after, failures } = this.surroundings;
    let early = false;
    let failure = false;
    let ahead = 0;
    let behind = 0;
    let rare = -1;
    for (let i = 0; i < hitCount; i++) {
      const literal = hits[i]!;
      const count = ++this.counts[literal]!;
      if (failures[literal] === 1) failure = true;
      if (count <= this.room.first && !this.full) {
        early = true;
        ahead = Math.max(ahead, before[literal]!);
        behind = Math.max(behind, after[literal]!);
      } else if (rare < 0 || count < this.counts[rare]!) rare = literal;
    }
    if (failure && !early && rare >= 0 && this.isNewWording({ number, start, end })) {
      // A failure that millions of others follow holds no literal that they do not, but nobody said it before.
      early = true;
      ahead = Math.min(before[rare]!, wordedAround);
      behind = Math.min(after[rare]!, wordedAround);
    }
    if (!early && number > this.until && this.open.length === 0) {
      if (rare >= 0) this.note(rare, number, start, end);
      return;
    }
    const place: Place = { number, start, end };
    if (early) {
      for (const each of this.source.before(place, ahead)) this.keep(each);
      this.keep(place);
      if (!this.full) this.until = Math.max(this.until, number + behind);
    } else if (number <= this.until) this.keep(place);
    else if (rare >= 0) this.note(rare, number, start, end);
    if (this.open.length > 0) this.extend(place);
  }

  private isNewWording(place: Place): boolean {
    if (this.worded >= this.room.lines / 8 || !this.shapes.isNew(this.source.shape(place))) return false;
    this.worded++;
    return true;
  }

  private keep(place: Place): void {
    if (this.early.has(place.number)) return;
    const line = this.source.copy(place);
    this.early.set(place.number, line);
    this.earlyBytes += line.text.length;
    if (this.early.size < this.room.lines && this.earlyBytes < this.room.bytes) return;
    // What comes later is kept only where it is of a new wording, without what stands around it.
    this.full = true;
    this.until = 0;
  }

  private note(literal: number, number: number, start: number, end: number): void {
    let notes = this.noted.get(literal);
    if (notes === undefined) this.noted.set(literal, (notes = new Notes(this.room.last)));
    notes.add(number, start, end);
  }

  /**
   * Copies what was noted; called before the buffer moves on, and at the end. What fills the ring in every buffer will
   * do so again: of it only a few are copied before the end, so that a huge log does not make much garbage.
   */
  flush(end: boolean): void {
    for (const [literal, notes] of this.noted) {
      const entries = this.late.get(literal) ?? [];
      this.late.set(literal, entries);
      const most = end || notes.size < this.ring ? this.ring : fewestLate;
      for (const place of notes.take(most)) this.keepLate(literal, place, entries);
    }
  }

  private keepLate(literal: number, place: Place, entries: Late[]): void {
    // A hit within the surroundings of the one before it belongs to that one.
    const last = entries.at(-1);
    if (last !== undefined && place.number <= last.lines.at(-1)!.number) return;
    const tight = this.ring === fewestLate;
    const own = this.source.copy(place);
    const lines = tight ? [{ ...own, text: own.text.slice(0, clip) }] : [own];
    const until = tight ? place.number : place.number + this.surroundings.after[literal]!;
    if (!tight) {
      for (const each of this.source.before(place, this.surroundings.before[literal]!))
        lines.unshift(this.source.copy(each));
      for (let next = this.source.after(place); next !== null && next.number <= until; next = this.source.after(next)) {
        lines.push(this.source.copy(next));
      }
    }
    const entry: Late = { lines, until, bytes: lines.reduce((sum, each) => sum + each.text.length + 64, 0) };
    entries.push(entry);
    this.lateBytes += entry.bytes;
    if (entries.length > this.ring) this.lateBytes -= entries.shift()!.bytes;
    if (lines.at(-1)!.number < until) this.open.push(entry);
    this.shrink();
  }

  private extend(place: Place): void {
    let line: KeptLine | null = null;
    for (const entry of this.open) {
      if (entry.lines.at(-1)!.number >= place.number || entry.until < place.number) continue;
      line ??= this.source.copy(place);
      entry.lines.push(line);
      entry.bytes += line.text.length + 64;
      this.lateBytes += line.text.length + 64;
    }
    this.open = this.open.filter((entry) => entry.until > place.number);
    this.shrink();
  }

  private shrink(): void {
    while (this.lateBytes > this.room.lateBytes && this.ring > fewestLate) {
      this.ring = Math.max(fewestLate, this.ring >> 1);
      this.lateBytes = 0;
      for (const entries of this.late.values()) {
        entries.splice(0, Math.max(0, entries.length - this.ring));
        for (const entry of entries) this.lateBytes += entry.bytes;
      }
    }
  }

  /** Every line that was kept, in order, each once. */
  all(): readonly KeptLine[] {
    const lines = new Map(this.early);
    for (const entries of this.late.values()) {
      for (const entry of entries)
        for (const line of entry.lines) if (!lines.has(line.number)) lines.set(line.number, line);
    }
    return [...lines.values()].sort((a, b) => a.number - b.number);
  }
}

/** The last places that were noted, without an object each: a frequent literal notes millions. */
class Notes {
  private readonly most: number;
  private readonly numbers: Float64Array;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private count = 0;

  constructor(most: number) {
    this.most = most;
    this.numbers = new Float64Array(most);
    this.starts = new Int32Array(most);
    this.ends = new Int32Array(most);
  }

  /** How many were noted since the last were taken. */
  get size(): number {
    return this.count;
  }

  add(number: number, start: number, end: number): void {
    const at = this.count++ % this.most;
    this.numbers[at] = number;
    this.starts[at] = start;
    this.ends[at] = end;
  }

  /** The last of them in order; none is left. */
  take(most: number): readonly Place[] {
    const places: Place[] = [];
    for (let i = Math.max(0, this.count - Math.min(most, this.most)); i < this.count; i++) {
      const at = i % this.most;
      places.push({ number: this.numbers[at]!, start: this.starts[at]!, end: this.ends[at]! });
    }
    this.count = 0;
    return places;
  }
}
