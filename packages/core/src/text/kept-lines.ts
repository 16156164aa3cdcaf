/** A line that was kept, as bytes, with its number. */
export interface KeptLine {
  readonly number: number;
  readonly bytes: Uint8Array;
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
  /** Lines before a place, nearest first, as far as they are still there. */
  before(place: Place, most: number): readonly Place[];
  /** The next complete line; null where it is not there yet. */
  after(place: Place): Place | null;
}

/** How many lines around a hit of each literal belong to it. */
export interface Surroundings {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** A late hit with the lines around it. */
interface Late {
  readonly lines: KeptLine[];
  readonly until: number;
  bytes: number;
}

/** Hits of one literal that are kept from the start of the input, and from its end. */
export const firstHits = 500;
export const lastHits = 100;

const mostLines = 40_000;
const mostBytes = 24 * 1024 * 1024;
const mostLateBytes = 16 * 1024 * 1024;
const fewestLate = 4;
const clip = 2048;

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
  private ring = lastHits;
  /** Lines up to this number follow an early hit. */
  private until = 0;
  /** Hits by literal. */
  readonly counts: Int32Array;
  /** True once so many lines mattered that of later ones only the last of each kind are kept. */
  full = false;

  constructor(source: LineSource, surroundings: Surroundings) {
    this.source = source;
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
    const { before, after } = this.surroundings;
    let early = false;
    let ahead = 0;
    let behind = 0;
    let rare = -1;
    for (let i = 0; i < hitCount; i++) {
      const literal = hits[i]!;
      const count = ++this.counts[literal]!;
      if (count <= firstHits && !this.full) {
        early = true;
        ahead = Math.max(ahead, before[literal]!);
        behind = Math.max(behind, after[literal]!);
      } else if (rare < 0 || count < this.counts[rare]!) rare = literal;
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

  private keep(place: Place): void {
    if (this.early.has(place.number)) return;
    const line = this.source.copy(place);
    this.early.set(place.number, line);
    this.earlyBytes += line.bytes.length;
    if (this.early.size < mostLines && this.earlyBytes < mostBytes) return;
    this.full = true;
    this.until = 0;
  }

  private note(literal: number, number: number, start: number, end: number): void {
    let notes = this.noted.get(literal);
    if (notes === undefined) this.noted.set(literal, (notes = new Notes()));
    notes.add(number, start, end);
  }

  /** Copies what was noted; called before the buffer moves on, and at the end. */
  flush(): void {
    for (const [literal, notes] of this.noted) {
      const entries = this.late.get(literal) ?? [];
      this.late.set(literal, entries);
      for (const place of notes.take(this.ring)) this.keepLate(literal, place, entries);
    }
  }

  private keepLate(literal: number, place: Place, entries: Late[]): void {
    // A hit within the surroundings of the one before it belongs to that one.
    const last = entries.at(-1);
    if (last !== undefined && place.number <= last.lines.at(-1)!.number) return;
    const tight = this.ring === fewestLate;
    const own = this.source.copy(place);
    const lines = tight ? [{ ...own, bytes: own.bytes.slice(0, clip) }] : [own];
    const until = tight ? place.number : place.number + this.surroundings.after[literal]!;
    if (!tight) {
      for (const each of this.source.before(place, this.surroundings.before[literal]!))
        lines.unshift(this.source.copy(each));
      for (let next = this.source.after(place); next !== null && next.number <= until; next = this.source.after(next)) {
        lines.push(this.source.copy(next));
      }
    }
    const entry: Late = { lines, until, bytes: lines.reduce((sum, each) => sum + each.bytes.length + 64, 0) };
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
      entry.bytes += line.bytes.length + 64;
      this.lateBytes += line.bytes.length + 64;
    }
    this.open = this.open.filter((entry) => entry.until > place.number);
    this.shrink();
  }

  private shrink(): void {
    while (this.lateBytes > mostLateBytes && this.ring > fewestLate) {
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
  private readonly numbers = new Float64Array(lastHits);
  private readonly starts = new Int32Array(lastHits);
  private readonly ends = new Int32Array(lastHits);
  private count = 0;

  add(number: number, start: number, end: number): void {
    const at = this.count++ % lastHits;
    this.numbers[at] = number;
    this.starts[at] = start;
    this.ends[at] = end;
  }

  /** The last of them in order; none is left. */
  take(most: number): readonly Place[] {
    const places: Place[] = [];
    for (let i = Math.max(0, this.count - Math.min(most, lastHits)); i < this.count; i++) {
      const at = i % lastHits;
      places.push({ number: this.numbers[at]!, start: this.starts[at]!, end: this.ends[at]! });
    }
    this.count = 0;
    return places;
  }
}
