/*
 * Cuts the events out of a trace of any size, in the order they stand, with the memory of one of them. The grammar is
 * the JSON of the Trace Event Format: an object with `traceEvents`, or a bare array.
 */
import type { Fields } from './event-walk.ts';
import { eventEnd, looksLikeEvent, newFields, sentinels } from './event-walk.ts';
import { blanksEnd, damagedAt, stringEnd, unfinished, valueEnd } from './walk.ts';

/** Bytes of one event; real ones stay below 100 KB. */
const longestEvent = 1024 * 1024;
/** Bytes of one value beside the events: groups of thousands of ranks are listed there. */
const longestValue = 8 * 1024 * 1024;
const longestPiece = 1024 * 1024;
/** Bytes that may be looked at in vain, beside a share of those that were read. */
const mostVain = 64 * 1024 * 1024;
/** Bytes that tell whether an event begins. */
const foresight = 96;

/** Takes what the scanner finds. The bytes are valid during the call only. */
export interface Sink {
  /** A member of the outermost object, other than the events. */
  member(key: string, bytes: Uint8Array, from: number, to: number): void;
  /** @param place finds the line of a byte of this event */
  event(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): void;
}

export interface Place {
  /** Line of a byte that is at hand, from 1. */
  lineOf(at: number): number;
}

/** What was passed over, and where it was first. */
export interface Passed {
  damaged: number;
  firstDamaged: number | null;
  large: number;
  firstLarge: number | null;
}

type Mode = 'start' | 'root' | 'events' | 'seek' | 'skip' | 'done';

/** See the head of the file. `push` all bytes, then `end`. */
export class EventScanner implements Place {
  readonly passed: Passed = { damaged: 0, firstDamaged: null, large: 0, firstLarge: null };
  /** Events that were given to the sink. */
  events = 0;
  /** Bytes taken so far. */
  bytes = 0;
  /** Bytes behind the end of the document. */
  behind = 0;
  /** The place where the document breaks off; null where it is whole. */
  broken: number | null = null;
  /** The place from which on nothing was read, as too much of it is damaged. */
  gaveUp: number | null = null;
  #vain = 0;
  #sink: Sink;
  #mode: Mode = 'start';
  #bare = false;
  #held: Uint8Array = new Uint8Array(2 * longestPiece);
  #length = 0;
  /** Bytes below this do not decide anything: the value at hand is not whole before. */
  #needed = 0;
  #fields: Fields = newFields();
  /** The last byte before the one at hand that is no blank; in `seek` alone. */
  #before = 0;
  #depth = 0;
  #inString = false;
  #countedTo = 0;
  #lines = 1;
  #dropped = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += longestPiece) this.#take(bytes.subarray(at, at + longestPiece));
  }

  #take(piece: Uint8Array): void {
    this.bytes += piece.length;
    if (this.#mode === 'done') {
      for (const byte of piece) if (byte > 0x20) this.behind++;
      return;
    }
    const length = this.#length + piece.length;
    if (length + sentinels > this.#held.length) {
      const longer = new Uint8Array(Math.max(length + sentinels, this.#held.length * 2));
      longer.set(this.#held.subarray(0, this.#length));
      this.#held = longer;
    }
    this.#held.set(piece, this.#length);
    this.#length = length;
    this.#held.fill(0x22, length, length + sentinels);
    if (length >= this.#needed) this.#scan(false);
  }

  end(): void {
    if (this.#mode === 'done') return;
    this.#scan(true);
    const open = this.#bare && (this.#mode as Mode) === 'events' && this.#length === 0;
    // The bracket behind a bare list may be left out.
    // Behind a damaged place the end of the document is not told from the end of what is lost.
    const lost = (this.#mode as Mode) === 'seek';
    if (!open && !lost && (this.#mode as Mode) !== 'done') this.broken = this.bytes;
  }

  lineOf(at: number): number {
    this.#count(at);
    return this.#lines;
  }

  #count(to: number): void {
    if (to <= this.#countedTo) return;
    this.#lines += linesIn(this.#held, this.#countedTo, to);
    this.#countedTo = to;
  }

  #scan(last: boolean): void {
    let at = 0;
    for (let next = 0; at < this.#length; at = next) {
      next = this.#step(at, last);
      if (next < 0) break;
      if (this.#mode === 'done') {
        at = next;
        break;
      }
    }
    this.#drop(at);
    const left = this.#length;
    // A value that is not whole is looked at again when twice as much is there: the work stays linear.
    this.#needed = this.#mode === 'seek' || this.#mode === 'skip' ? 0 : left * 2;
    if (this.#mode === 'done') {
      for (let index = 0; index < left; index++) if (this.#held[index]! > 0x20) this.behind++;
      this.#length = 0;
    }
  }

  #drop(to: number): void {
    this.#count(to);
    this.#held.copyWithin(0, to, this.#length);
    this.#length -= to;
    this.#held.fill(0x22, this.#length, this.#length + sentinels);
    this.#countedTo -= to;
    this.#dropped += to;
  }

  /** @returns where to go on; negative where more bytes are needed */
  #step(at: number, last: boolean): number {
    switch (this.#mode) {
      case 'start':
        return this.#start(at);
      case 'events':
        return this.#event(at, last);
      case 'root':
        return this.#member(at);
      case 'seek':
        return this.#seek(at, last);
      case 'skip':
        return this.#skip(at);
      case 'done':
        return this.#length;
    }
  }

  #start(at: number): number {
    const byte = this.#held[at]!;
    if (byte === 0x5b) {
      this.#mode = 'events';
      this.#bare = true;
    } else if (byte === 0x7b) {
      this.#mode = 'root';
    } else if (byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) {
      this.#note('damaged', at);
      this.#before = 0x0a;
      this.#mode = 'seek';
      return at;
    }
    return at + 1;
  }

  #note(what: 'damaged' | 'large', at: number): void {
    this.passed[what]++;
    if (what === 'damaged') this.passed.firstDamaged ??= this.#dropped + at;
    else this.passed.firstLarge ??= this.#dropped + at;
  }

  #event(from: number, last: boolean): number {
    const held = this.#held;
    const at = blanksEnd(held, from, this.#length);
    if (at > from && at >= this.#length) return at;
    const byte = held[at]!;
    if (byte === 0x2c) return at + 1;
    if (byte === 0x5d) {
      this.#mode = this.#bare ? 'done' : 'root';
      return at + 1;
    }
    if (byte !== 0x7b) return this.#lose('damaged', at, at);
    const behind = eventEnd(held, at, Math.min(this.#length, at + longestEvent), this.#fields);
    if (behind < unfinished) return this.#lose('damaged', at, at + 1, damagedAt(behind) - at);
    if (behind === unfinished) {
      const size = this.#length - at;
      if (size >= longestEvent) return this.#lose('large', at, at + 1, longestEvent);
      // The rest of the input may be one broken event: what follows it is looked for.
      if (last && this.#another(at + 1)) return this.#lose('damaged', at, at + 1, 2 * size);
      return unfinished;
    }
    this.events++;
    this.#sink.event(held, at, behind, this.#fields, this);
    return behind;
  }

  /** True where an event begins in what is left. */
  #another(from: number): boolean {
    const held = this.#held;
    let before = 0;
    for (let at = from; at < this.#length; at++) {
      const byte = held[at]!;
      if (byte === 0x7b && before !== 0x3a && looksLikeEvent(held, at, this.#length) === true) return true;
      if (byte > 0x20) before = byte;
    }
    return false;
  }

  /** @param cost bytes that were looked at in vain: of what is made to cost much, the rest is not read */
  #lose(what: 'damaged' | 'large', at: number, next: number, cost = 1): number {
    this.#note(what, at);
    this.#vain += cost;
    if (this.#vain > mostVain + 8 * (this.#dropped + at)) {
      this.gaveUp = this.#dropped + at;
      this.#mode = 'done';
      return this.#length;
    }
    this.#mode = 'seek';
    this.#before = 0x7b;
    return next;
  }

  /** Goes on to the next place that looks like an event. */
  #seek(from: number, last: boolean): number {
    const held = this.#held;
    for (let at = from; at < this.#length; at++) {
      const byte = held[at]!;
      if (byte === 0x7b && this.#before !== 0x3a) {
        const near = Math.min(this.#length, at + foresight);
        const looks = looksLikeEvent(held, at, near);
        if (looks === unfinished && near === this.#length && near < at + foresight && !last) {
          // What lies before is done with, and stays noted in #before.
          if (at > from) return at;
          return unfinished;
        }
        if (looks === true) {
          this.#mode = 'events';
          return at;
        }
      }
      if (byte > 0x20) this.#before = byte;
    }
    return this.#length;
  }

  #member(from: number): number {
    const held = this.#held;
    let at = blanksEnd(held, from, this.#length);
    if (at >= this.#length) return at > from ? at : unfinished;
    if (held[at] === 0x2c) return at + 1;
    if (held[at] === 0x7d) {
      this.#mode = 'done';
      return at + 1;
    }
    if (held[at] !== 0x22) return this.#lose('damaged', at, at);
    const start = at;
    const close = stringEnd(held, at + 1, this.#length);
    if (close < 0 || close - at > 4096) return this.#tooLong(start, close);
    const key = held.subarray(at + 1, close);
    at = blanksEnd(held, close + 1, this.#length);
    if (at >= this.#length) return unfinished;
    if (held[at] !== 0x3a) return this.#lose('damaged', start, at);
    at = blanksEnd(held, at + 1, this.#length);
    if (at >= this.#length) return unfinished;
    const name = textOf(key);
    if (name === 'traceEvents' && held[at] === 0x5b) {
      this.#mode = 'events';
      return at + 1;
    }
    const behind = valueEnd(held, at, Math.min(this.#length, at + longestValue));
    if (behind < unfinished) return this.#lose('damaged', at, at, damagedAt(behind) - at);
    if (behind === unfinished) {
      if (this.#length - at < longestValue) return unfinished;
      this.#note('large', at);
      this.#mode = 'skip';
      this.#depth = 0;
      this.#inString = false;
      return at;
    }
    this.#sink.member(name, held, at, behind);
    return behind;
  }

  #tooLong(at: number, close: number): number {
    return (close < 0 ? this.#length : close) - at > 4096 ? this.#lose('damaged', at, at + 1) : unfinished;
  }

  /** Steps over a value that is too large to be held. */
  #skip(from: number): number {
    const held = this.#held;
    for (let at = from; at < this.#length; at++) {
      const byte = held[at]!;
      if (this.#inString) {
        if (byte === 0x5c) {
          if (at + 1 >= this.#length) return at > from ? at : unfinished;
          at++;
        } else if (byte === 0x22) {
          this.#inString = false;
          if (this.#depth === 0) return this.#skipped(at + 1);
        }
      } else if (byte === 0x22) this.#inString = true;
      else if (byte === 0x7b || byte === 0x5b) this.#depth++;
      else if (byte === 0x7d || byte === 0x5d) {
        this.#depth--;
        if (this.#depth <= 0) return this.#skipped(at + 1);
      }
    }
    return this.#length;
  }

  #skipped(next: number): number {
    this.#mode = 'root';
    return next;
  }
}

const decoder = new TextDecoder();

function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Counts line feeds, four bytes at a time. */
function linesIn(bytes: Uint8Array, from: number, to: number): number {
  let lines = 0;
  const aligned = Math.min(to, (from + 3) & ~3);
  for (; from < aligned; from++) if (bytes[from] === 0x0a) lines++;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const last = to >> 2;
  for (let at = from >> 2; at < last; at++) {
    const word = words[at]! ^ 0x0a0a0a0a;
    // The high bit of each byte that is zero, exactly.
    const zero = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f);
    if (zero !== 0) lines += ((zero >>> 7) & 1) + ((zero >>> 15) & 1) + (((zero >>> 23) & 1) + (zero >>> 31));
  }
  for (from = Math.max(from, last << 2); from < to; from++) if (bytes[from] === 0x0a) lines++;
  return lines;
}
