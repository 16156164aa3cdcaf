// Finite state entropy, the coder of numbers in Zstandard: RFC 8878, section 4.1.
import { backwardBits, bitsAt } from './bits.ts';

/** Decoding table: for each state `base of the next state << 16 | bits to read << 8 | symbol`. */
export interface FseTable {
  readonly log: number;
  readonly states: Int32Array;
}

/** Table of the counts of each symbol (-1: less than one); null where they do not fill `2^log` states. */
export function fseTable(counts: ArrayLike<number>, log: number): FseTable | null {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const states = new Int32Array(size);
  const next = new Uint16Array(counts.length);
  let high = size;
  for (let symbol = 0; symbol < counts.length; symbol += 1) {
    if (counts[symbol] !== -1) continue;
    high -= 1;
    if (high < 0) return null;
    symbols[high] = symbol;
    next[symbol] = 1;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  for (let symbol = 0; symbol < counts.length; symbol += 1) {
    const count = counts[symbol]!;
    if (count <= 0) continue;
    next[symbol] = count;
    for (let i = 0; i < count; i += 1) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high && high > 0);
    }
  }
  if (at !== 0) return null;
  for (let state = 0; state < size; state += 1) {
    const symbol = symbols[state]!;
    const value = next[symbol]!;
    if (value === 0) return null;
    next[symbol] = value + 1;
    const width = log - (31 - Math.clz32(value));
    states[state] = (((value << width) - size) << 16) | (width << 8) | symbol;
  }
  return { log, states };
}

/** Table with one symbol that needs no bits. */
export function rleTable(symbol: number): FseTable {
  return { log: 0, states: Int32Array.of(symbol) };
}

/** Reads the description of a table at `at`; a string says why there is none. */
export function readFseTable(
  bytes: Uint8Array,
  at: number,
  end: number,
  mostLog: number,
  mostSymbol: number,
): { readonly table: FseTable; readonly end: number } | string {
  const log = (bytes[at]! & 15) + 5;
  if (at >= end || log > mostLog) return 'a table of the Zstandard data is damaged';
  let position = 4;
  const limit = (end - at) * 8;
  const take = (count: number): number => {
    let value = 0;
    const from = at + (position >> 3);
    for (let i = 0; i < 4 && from + i < end; i += 1) value |= bytes[from + i]! << (8 * i);
    return (value >>> (position & 7)) & ((1 << count) - 1);
  };
  const counts: number[] = [];
  let left = 1 << log;
  while (left > 0) {
    if (position > limit || counts.length > mostSymbol) return 'a table of the Zstandard data is damaged';
    const width = 32 - Math.clz32(left + 1);
    let value = take(width);
    const low = (1 << (width - 1)) - 1;
    const threshold = (1 << width) - 1 - (left + 1);
    position += width;
    if ((value & low) < threshold) {
      position -= 1;
      value &= low;
    } else if (value > low) value -= threshold;
    const count = value - 1;
    left -= Math.abs(count);
    counts.push(count);
    if (count !== 0) continue;
    let more = 3;
    while (more === 3) {
      more = take(2);
      position += 2;
      for (let i = 0; i < more; i += 1) counts.push(0);
      if (position > limit || counts.length > mostSymbol + 1) return 'a table of the Zstandard data is damaged';
    }
  }
  if (left < 0 || position > limit || counts.length > mostSymbol + 1) return 'a table of the Zstandard data is damaged';
  const table = fseTable(counts, log);
  return table === null ? 'a table of the Zstandard data is damaged' : { table, end: at + ((position + 7) >> 3) };
}

/** Weights of a Huffman tree: two states that take turns until the bits are used up. Null where they are damaged. */
export function readWeights(bytes: Uint8Array, view: DataView, at: number, end: number): readonly number[] | null {
  const read = readFseTable(bytes, at, end, 6, 255);
  if (typeof read === 'string') return null;
  const { table, end: start } = read;
  let position = backwardBits(view, start, end);
  const take = (count: number): number => {
    position -= count;
    return bitsAt(view, start, position, count);
  };
  const weights: number[] = [];
  const turns = [take(table.log), take(table.log)];
  if (position < 0) return null;
  for (let turn = 0; weights.length <= 255; turn ^= 1) {
    const state = table.states[turns[turn]!]!;
    weights.push(state & 0xff);
    const width = (state >> 8) & 0xff;
    if (position < width) {
      weights.push(table.states[turns[turn ^ 1]!]! & 0xff);
      break;
    }
    turns[turn] = (state >>> 16) + take(width);
  }
  return weights.length > 255 ? null : weights;
}
