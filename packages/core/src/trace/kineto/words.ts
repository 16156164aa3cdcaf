/*
 * Words of a trace, told apart as bytes: no string is made of a key or category that nobody asks for.
 */

/** Finds words among a few known ones, in bytes; ASCII letters in any case where `fold` is set. */
export class WordTable {
  #fold: number;
  #slots: Int16Array = new Int16Array(512).fill(-1);
  #words: readonly Uint8Array[];

  constructor(words: readonly string[], fold: boolean) {
    this.#fold = fold ? 0x20 : 0;
    const encoder = new TextEncoder();
    this.#words = words.map((word) => encoder.encode(fold ? word.toLowerCase() : word));
    for (const [index, word] of this.#words.entries()) {
      let slot = this.#hash(word, 0, word.length);
      while (this.#slots[slot]! >= 0) slot = (slot + 1) & 511;
      this.#slots[slot] = index;
    }
  }

  #hash(bytes: Uint8Array, from: number, to: number): number {
    const fold = this.#fold;
    const length = to - from;
    if (length === 0) return 0;
    const first = bytes[from]! | fold;
    const middle = bytes[from + (length >> 1)]! | fold;
    const last = bytes[to - 1]! | fold;
    return (length * 61 + first * 31 + middle * 7 + last * 17) & 511;
  }

  /** @returns the index of the word, or -1 */
  find(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > 64) return -1;
    let slot = this.#hash(bytes, from, to);
    for (;;) {
      const index = this.#slots[slot]!;
      if (index < 0) return -1;
      if (this.#same(this.#words[index]!, bytes, from, to)) return index;
      slot = (slot + 1) & 511;
    }
  }

  #same(word: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
    if (word.length !== to - from) return false;
    for (let at = 0; at < word.length; at++) {
      const byte = bytes[from + at]!;
      if (byte === word[at]) continue;
      if (this.#fold === 0 || byte < 0x41 || byte > 0x5a || byte + 0x20 !== word[at]) return false;
    }
    return true;
  }
}

const decoder = new TextDecoder();

/** The text between two quotation marks, with its escapes undone; broken ones stay as they are. */
export function stringOf(bytes: Uint8Array, from: number, to: number): string {
  const part = bytes.subarray(from, to);
  const text = decoder.decode(part);
  if (!part.includes(0x5c)) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** Longest name that is kept, in bytes; kernels of template libraries come near it. */
const longestName = 8192;
/** Bytes of all names together. */
const mostNameBytes = 48 * 1024 * 1024;

/** Gives each name a number; the bytes of a name are made a string once. */
export class NameTable {
  #nameOf: (text: string) => number;
  #slots: Int32Array = new Int32Array(4096).fill(-1);
  #hashes: number[] = [];
  #spans: Uint8Array[] = [];
  #ids: number[] = [];
  #kept = 0;
  #other = -1;

  /** @param nameOf gives the number of a text */
  constructor(nameOf: (text: string) => number) {
    this.#nameOf = nameOf;
  }

  /** True where names were too many or too long to be kept. */
  get full(): boolean {
    return this.#other >= 0;
  }

  of(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > longestName) to = from + longestName;
    const length = to - from;
    let hash = length;
    // Names of templates differ at their ends; between them every fourth byte is enough.
    const step = length > 64 ? 4 : 1;
    for (let at = from; at < to; at += step) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    for (let at = Math.max(from, to - 12); at < to; at++) hash = (Math.imul(hash, 33) + bytes[at]!) | 0;
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let index = this.#slots[slot]!; index >= 0; index = this.#slots[slot]!) {
      if (this.#hashes[index] === hash && same(this.#spans[index]!, bytes, from, length)) return this.#ids[index]!;
      slot = (slot + 1) & mask;
    }
    if (this.#kept + length > mostNameBytes) return (this.#other = this.#other < 0 ? this.#nameOf('…') : this.#other);
    this.#kept += length + 64;
    const id = this.#nameOf(stringOf(bytes, from, to));
    this.#slots[slot] = this.#ids.length;
    this.#ids.push(id);
    this.#hashes.push(hash);
    this.#spans.push(bytes.slice(from, to));
    if (this.#ids.length * 2 > this.#slots.length) this.#grow();
    return id;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (const [index, hash] of this.#hashes.entries()) {
      let slot = (hash ^ (hash >>> 15)) & (slots.length - 1);
      while (slots[slot]! >= 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = index;
    }
    this.#slots = slots;
  }
}

function same(word: Uint8Array, bytes: Uint8Array, from: number, length: number): boolean {
  if (word.length !== length) return false;
  for (let at = 0; at < length; at++) if (word[at] !== bytes[from + at]) return false;
  return true;
}
