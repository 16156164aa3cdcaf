/*
 * Columns that grow, a join by number and a sort that leaves sorted runs alone: what a reader of millions of events
 * needs so that one event costs a few dozen bytes.
 */

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Uint8Array;

/** A typed array that grows by half of its length. */
export class Column<Kind extends Numbers> {
  #make: new (length: number) => Kind;
  #data: Kind;
  length = 0;

  constructor(make: new (length: number) => Kind) {
    this.#make = make;
    this.#data = new make(1024);
  }

  push(value: number): void {
    if (this.length === this.#data.length) {
      const grown = new this.#make(Math.ceil(this.length * 1.5));
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.length++] = value;
  }

  at(index: number): number {
    return this.#data[index]!;
  }

  set(index: number, value: number): void {
    this.#data[index] = value;
  }

  /** The values without a copy; the column is not to grow any more. */
  view(): Kind {
    return this.#data.subarray(0, this.length) as Kind;
  }

  /** The values in another order. */
  ordered(order: Uint32Array | null): Kind {
    if (order === null) return this.view();
    const out = new this.#make(this.length);
    for (let index = 0; index < order.length; index++) out[index] = this.#data[order[index]!]!;
    return out;
  }
}

/** Numbers (up to 2^53) to indices, in two flat arrays with open addressing; the first index of a number stays. */
export class NumberIndex {
  #keys: Float64Array = new Float64Array(2048).fill(-1);
  #values: Int32Array = new Int32Array(2048);
  #size = 0;

  #slot(keys: Float64Array, key: number): number {
    const mask = keys.length - 1;
    // Knuth's multiplicative hash over both halves of the number.
    let slot = (Math.imul((key % 4294967296) | 0, 0x9e3779b1) ^ Math.imul((key / 4294967296) | 0, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (keys[slot]! >= 0 && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  /** @param key a whole number from 0 */
  add(key: number, value: number): void {
    if (key < 0 || !Number.isSafeInteger(key)) return;
    if (this.#size * 2 >= this.#keys.length) {
      const keys = new Float64Array(this.#keys.length * 2).fill(-1);
      const values = new Int32Array(keys.length);
      for (let at = 0; at < this.#keys.length; at++) {
        const old = this.#keys[at]!;
        if (old < 0) continue;
        const slot = this.#slot(keys, old);
        keys[slot] = old;
        values[slot] = this.#values[at]!;
      }
      this.#keys = keys;
      this.#values = values;
    }
    const slot = this.#slot(this.#keys, key);
    if (this.#keys[slot]! >= 0) return;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#size++;
  }

  /** @returns the index, or -1 */
  get(key: number): number {
    if (key < 0 || !Number.isSafeInteger(key)) return -1;
    const slot = this.#slot(this.#keys, key);
    return this.#keys[slot] === key ? this.#values[slot]! : -1;
  }
}

/**
 * The order that sorts values, stable; null where they are sorted already. Runs that are sorted are merged, so that a few
 * interleaved streams cost a few passes.
 */
export function orderOf(values: Float64Array): Uint32Array | null {
  const bounds: number[] = [0];
  for (let index = 1; index < values.length; index++) if (values[index]! < values[index - 1]!) bounds.push(index);
  if (bounds.length === 1) return null;
  bounds.push(values.length);
  let from = Uint32Array.from({ length: values.length }, (_, index) => index);
  let to = new Uint32Array(values.length);
  let runs = bounds;
  while (runs.length > 2) {
    const merged: number[] = [0];
    for (let run = 0; run + 1 < runs.length; run += 2) {
      const [low, middle, high] = [runs[run]!, runs[run + 1]!, runs[run + 2] ?? runs[run + 1]!];
      let [left, right] = [low, middle];
      for (let out = low; out < high; out++) {
        const takeLeft = left < middle && (right >= high || values[from[left]!]! <= values[from[right]!]!);
        to[out] = takeLeft ? from[left++]! : from[right++]!;
      }
      merged.push(high);
    }
    [from, to] = [to, from];
    runs = merged;
  }
  return from;
}
