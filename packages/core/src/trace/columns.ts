/*
 * Columns that grow, a join by number and a sort that leaves sorted runs alone: what a reader of millions of events
 * needs so that one event costs a few dozen bytes.
 */

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Uint8Array;

/**
 * A typed array that grows by half of its length. A caller that fills millions of rows asks for `next()` and then writes into
 * `data` itself: a method that all kinds of arrays share is several times slower.
 */
export class Column<Kind extends Numbers> {
  #make: new (length: number) => Kind;
  #capacity = 1024;
  data: Kind;
  length = 0;

  constructor(make: new (length: number) => Kind) {
    this.#make = make;
    this.data = new make(1024);
  }

  /** Makes room for that many rows at once. */
  reserve(rows: number): void {
    if (rows > this.#capacity) this.#grow(rows);
  }

  #grow(rows: number): void {
    const grown = new this.#make(rows);
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
    this.#capacity = rows;
  }

  /** Place of the next row, to be written. */
  next(): number {
    if (this.length === this.#capacity) this.#grow(Math.ceil(this.length * 1.5));
    return this.length++;
  }

  push(value: number): void {
    const at = this.next();
    this.data[at] = value;
  }

  at(index: number): number {
    return this.data[index]!;
  }

  set(index: number, value: number): void {
    this.data[index] = value;
  }

  /** The values without a copy; the column is not to grow any more. */
  view(): Kind {
    return this.data.subarray(0, this.length) as Kind;
  }

  /**
   * The values in another order.
   * @param room the memory of a column of the same kind that is not needed any more
   */
  ordered(order: Order | null, room: Kind | null = null): Kind {
    if (order === null) return this.view();
    const length = order.from.length;
    const out = room !== null && room.length >= length ? (room.subarray(0, length) as Kind) : new this.#make(length);
    if (order.stretches === null) {
      for (let index = 0; index < out.length; index++) out[index] = this.data[order.from[index]!]!;
      return out;
    }
    const { stretches } = order;
    for (let at = 0; at + 1 < stretches.length; at++) {
      const first = stretches[at]!;
      const from = order.from[first]!;
      out.set(this.data.subarray(from, from + stretches[at + 1]! - first), first);
    }
    return out;
  }
}

/** An order of rows: which one comes at each place; `stretches` are where rows follow each other, if those are few. */
export interface Order {
  readonly from: Uint32Array;
  readonly stretches: Uint32Array | null;
}

/** Numbers (up to 2^53) to indices, in two flat arrays with open addressing; the first index of a number stays. */
export class NumberIndex {
  #keys: Float64Array;
  #values: Int32Array;
  #size = 0;

  /** @param expected how many numbers there will be, about */
  constructor(expected = 1000) {
    const slots = 2 ** Math.min(28, Math.max(11, Math.ceil(Math.log2(expected * 2 + 2))));
    this.#keys = new Float64Array(slots).fill(-1);
    this.#values = new Int32Array(slots);
  }

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

/** Numbers that lie close together to indices, in one flat array; the first index of a number stays. */
class DenseIndex {
  #least: number;
  #values: Int32Array;

  constructor(least: number, most: number) {
    this.#least = least;
    this.#values = new Int32Array(most - least + 1);
  }

  add(key: number, value: number): void {
    const slot = key - this.#least;
    if (this.#values[slot] === 0) this.#values[slot] = value + 1;
  }

  /** @returns the index, or -1 */
  get(key: number): number {
    return (this.#values[key - this.#least] ?? 0) - 1;
  }
}

/** An index for these keys: profilers count up, so that most lie close together. */
export function indexFor(keys: Float64Array): Pick<NumberIndex, 'add' | 'get'> {
  let [least, most, count] = [Infinity, -1, 0];
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key < 0) continue;
    count++;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  return most - least < count * 8 + 1024 && Number.isSafeInteger(most) && Number.isSafeInteger(least)
    ? new DenseIndex(least, most)
    : new NumberIndex(count);
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
  let from = new Uint32Array(values.length);
  for (let index = 0; index < from.length; index++) from[index] = index;
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

/** An order with the stretches of rows that follow each other, which columns are copied by. */
export function rowOrder(from: Uint32Array | null): Order | null {
  if (from === null) return null;
  let count = 1;
  for (let at = 1; at < from.length; at++) if (from[at] !== from[at - 1]! + 1) count++;
  if (count * 16 > from.length) return { from, stretches: null };
  const stretches = new Uint32Array(count + 1);
  let next = 1;
  for (let at = 1; at < from.length; at++) if (from[at] !== from[at - 1]! + 1) stretches[next++] = at;
  stretches[next] = from.length;
  return { from, stretches };
}
