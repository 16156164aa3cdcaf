// Literals of Zstandard: RFC 8878, section 4.2.
import { backwardBits, bitsAt } from './bits.ts';
import { readWeights } from './fse.ts';

/** Decoding table: the next `bits` bits give a symbol and how many of them it took, `symbol << 4 | taken`. */
export interface HuffmanTable {
  readonly bits: number;
  readonly entries: Uint16Array;
}

const mostBits = 11;

/** Reads a tree's description; null where it is damaged. */
export function readHuffmanTable(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  end: number,
): { readonly table: HuffmanTable; readonly end: number } | null {
  if (at >= end) return null;
  const head = bytes[at]!;
  const direct = head >= 128;
  const stop = at + 1 + (direct ? (head - 126) >> 1 : head);
  if (stop > end) return null;
  const weights = direct ? directWeights(bytes, at + 1, head - 127) : readWeights(bytes, view, at + 1, stop);
  const table = weights === null ? null : huffmanTable(weights);
  return table === null ? null : { table, end: stop };
}

function directWeights(bytes: Uint8Array, at: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) =>
    i % 2 === 0 ? bytes[at + (i >> 1)]! >> 4 : bytes[at + (i >> 1)]! & 15,
  );
}

function huffmanTable(given: readonly number[]): HuffmanTable | null {
  let sum = 0;
  for (const weight of given) {
    if (weight > mostBits) return null;
    if (weight > 0) sum += 1 << (weight - 1);
  }
  if (sum === 0) return null;
  const bits = 32 - Math.clz32(sum);
  const left = (1 << bits) - sum;
  // The last weight is not written: it fills the table.
  if (bits > mostBits || (left & (left - 1)) !== 0) return null;
  const weights = [...given, 32 - Math.clz32(left)];
  const entries = new Uint16Array(1 << bits);
  let at = 0;
  for (let weight = 1; weight <= bits; weight += 1) {
    for (let symbol = 0; symbol < weights.length; symbol += 1) {
      if (weights[symbol] !== weight) continue;
      const to = at + (1 << (weight - 1));
      entries.fill((symbol << 4) | (bits + 1 - weight), at, to);
      at = to;
    }
  }
  return { bits, entries };
}

/** Decodes one stream of `[start, end)` into `out[from, to)`. False where it is damaged. */
export function readHuffmanStream(
  table: HuffmanTable,
  view: DataView,
  start: number,
  end: number,
  out: Uint8Array,
  from: number,
  to: number,
): boolean {
  let position = backwardBits(view, start, end);
  if (position < 0) return false;
  const { bits, entries } = table;
  const mask = (1 << bits) - 1;
  let at = from;
  // Two symbols of 11 bits fit the 25 bits that four bytes hold at least.
  while (at + 2 <= to && position >= 32) {
    const first = (position - 25) >> 3;
    const word = view.getUint32(start + first, true);
    const base = first * 8 + bits;
    const one = entries[(word >>> (position - base)) & mask]!;
    position -= one & 15;
    const two = entries[(word >>> (position - base)) & mask]!;
    position -= two & 15;
    out[at] = one >> 4;
    out[at + 1] = two >> 4;
    at += 2;
  }
  for (; at < to; at += 1) {
    const entry = entries[bitsAt(view, start, position - bits, bits)]!;
    position -= entry & 15;
    if (position < 0) return false;
    out[at] = entry >> 4;
  }
  return position === 0;
}
