// Zstandard frames whose unpacked length is known: RFC 8878. Unlike the libraries there are, work is bounded by the length
// that is asked for, whatever the data say: code comes from strangers.
import { backwardBits, bitsAt } from './bits.ts';
import { fseTable, readFseTable, rleTable } from './fse.ts';
import type { FseTable } from './fse.ts';
import { readHuffmanStream, readHuffmanTable } from './huffman.ts';
import type { HuffmanTable } from './huffman.ts';
import { copyMatch } from './lz4.ts';
import { viewOf } from './bytes.ts';

export const largestBlock: number = 128 * 1024;

/** Bases and extra bits of the codes of literal and match lengths (RFC 8878, section 3.1.1.3.2.1.1). */
const literalBases = Int32Array.of(
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
  18,
  20,
  22,
  24,
  28,
  32,
  40,
  48,
  64,
  128,
  256,
  512,
  1024,
  2048,
  4096,
  8192,
  16384,
  32768,
  65536,
);
const literalBits = Uint8Array.of(
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  6,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
);
const matchBases = Int32Array.of(
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
  17,
  18,
  19,
  20,
  21,
  22,
  23,
  24,
  25,
  26,
  27,
  28,
  29,
  30,
  31,
  32,
  33,
  34,
  35,
  37,
  39,
  41,
  43,
  47,
  51,
  59,
  67,
  83,
  99,
  131,
  259,
  515,
  1027,
  2051,
  4099,
  8195,
  16387,
  32771,
  65539,
);
const matchBits = Uint8Array.of(
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  4,
  5,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
);

/** What distinguishes the three numbers of a sequence: the longest table, the last code and the predefined counts. */
interface Alphabet {
  readonly mostLog: number;
  readonly mostSymbol: number;
  readonly predefined: FseTable;
}

function alphabet(mostLog: number, mostSymbol: number, log: number, counts: readonly number[]): Alphabet {
  return { mostLog, mostSymbol, predefined: fseTable(counts, log)! };
}

const alphabets: readonly [Alphabet, Alphabet, Alphabet] = [
  alphabet(
    9,
    35,
    6,
    [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
  ),
  alphabet(8, 31, 5, [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]),
  alphabet(
    9,
    52,
    6,
    [
      1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
  ),
];

/** What one block leaves to the next. */
export interface FrameState {
  out: Uint8Array;
  /** Bytes written, and where this frame began: matches do not reach behind it. */
  to: number;
  from: number;
  huffman: HuffmanTable | null;
  readonly tables: [FseTable | null, FseTable | null, FseTable | null];
  readonly repeats: [number, number, number];
  readonly literals: Uint8Array;
  /** The block that is read, with zeros behind it: numbers are read four bytes at a time. */
  readonly block: Uint8Array;
  readonly view: DataView;
}

/** Buffers that one frame leaves to the next. */
export type FrameBuffers = Pick<FrameState, 'literals' | 'block' | 'view'>;

export function frameBuffers(): FrameBuffers {
  const block = new Uint8Array(largestBlock + 8);
  return { literals: new Uint8Array(largestBlock), block, view: viewOf(block) };
}

/** A frame that begins at `to`. */
export function beginFrame(out: Uint8Array, to: number, buffers: FrameBuffers): FrameState {
  return { out, to, from: to, huffman: null, tables: [null, null, null], repeats: [1, 4, 8], ...buffers };
}

/** Why a frame whose header begins with this byte cannot be unpacked; null where it can. */
export function refusal(descriptor: number): string | null {
  if ((descriptor & 8) !== 0) return 'the Zstandard data uses a bit of its header that has no meaning yet';
  return (descriptor & 3) !== 0 ? 'the Zstandard data needs a dictionary' : null;
}

/**
 * Unpacks frames that give `size` bytes together; zeros may follow them. Checksums are not compared.
 * @returns the bytes, or why they cannot be had
 */
export function unpackZstd(packed: Uint8Array, size: number): Uint8Array | string {
  const out = new Uint8Array(size);
  const buffers = frameBuffers();
  const view = viewOf(packed);
  let at = 0;
  let to = 0;
  while (to < size) {
    if (at + 9 > packed.length) return `the Zstandard data ends early, after ${to} of ${size} bytes`;
    const magic = view.getUint32(at, true);
    if (magic >>> 4 === 0x184d2a5) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== 0xfd2fb528) return notZstandard;
    const head = packed[at + 4]!;
    const single = (head >> 5) & 1;
    const refused = refusal(head);
    if (refused !== null) return refused;
    const contentBytes = [single, 2, 4, 8][head >> 6]!;
    const state = beginFrame(out, to, buffers);
    const end = readBlocks(packed, at + 6 - single + contentBytes, state);
    if (typeof end === 'string') return end;
    to = state.to;
    at = end + ((head & 4) !== 0 ? 4 : 0);
  }
  return out;
}

export const notZstandard = 'the data does not begin as Zstandard does';

/** Blocks of a frame up to its last; gives where it ends. */
function readBlocks(packed: Uint8Array, from: number, state: FrameState): number | string {
  let at = from;
  for (;;) {
    if (at + 3 > packed.length) return `the Zstandard data ends early, after ${state.to} bytes`;
    const head = blockHead(packed, at);
    at += 3;
    if (typeof head === 'string') return head;
    if (head.stored > packed.length - at) return `the Zstandard data ends early, after ${state.to} bytes`;
    const failed = takeBlock(head, packed.subarray(at, at + head.stored), state);
    if (failed !== null) return failed;
    at += head.stored;
    if (head.last) return at;
  }
}

export interface BlockHead {
  readonly last: boolean;
  readonly kind: number;
  /** Bytes that a plain or repeated block gives; of a compressed one, those that it takes. */
  readonly length: number;
  readonly stored: number;
}

/** The three bytes before a block. */
export function blockHead(bytes: Uint8Array, at: number): BlockHead | string {
  const head = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  const kind = (head >> 1) & 3;
  const length = head >> 3;
  if (length > largestBlock) return 'a block of the Zstandard data is larger than blocks may be';
  if (kind === 3) return 'a block of the Zstandard data is of no known kind';
  return { last: (head & 1) !== 0, kind, length, stored: kind === 1 ? 1 : length };
}

/** Unpacks one block. Null where all went well. */
export function takeBlock({ kind, length }: BlockHead, bytes: Uint8Array, state: FrameState): string | null {
  if (kind === 2) {
    state.block.set(bytes);
    state.block.fill(0, length, length + 8);
    return readBlock(length, state);
  }
  if (length > state.out.length - state.to) return tooLong(state);
  if (kind === 0) state.out.set(bytes, state.to);
  else state.out.fill(bytes[0]!, state.to, state.to + length);
  state.to += length;
  return null;
}

function tooLong(state: FrameState): string {
  return `the Zstandard data gives more than the ${state.out.length} bytes that its header says`;
}

const damaged = 'the Zstandard data is damaged';

/** One compressed block: its literals, then the sequences that mix them with earlier bytes. Null where all went well. */
function readBlock(length: number, state: FrameState): string | null {
  const bytes = state.block.subarray(0, length);
  const literals = readLiterals(bytes, state);
  if (literals === null) return damaged;
  return readSequences(bytes, literals.end, literals.count, state);
}

function readLiterals(bytes: Uint8Array, state: FrameState): { readonly count: number; readonly end: number } | null {
  const head = bytes[0] ?? 0;
  const kind = head & 3;
  const format = (head >> 2) & 3;
  const u16 = head | ((bytes[1] ?? 0) << 8);
  if (kind < 2) {
    const headBytes = format === 1 ? 2 : format === 3 ? 3 : 1;
    const count = format === 1 ? u16 >> 4 : format === 3 ? (u16 | ((bytes[2] ?? 0) << 16)) >> 4 : head >> 3;
    const stored = kind === 0 ? count : 1;
    if (count > largestBlock || headBytes + stored > bytes.length) return null;
    if (kind === 0) state.literals.set(bytes.subarray(headBytes, headBytes + count));
    else state.literals.fill(bytes[headBytes]!, 0, count);
    return { count, end: headBytes + stored };
  }
  const headBytes = format < 2 ? 3 : format + 2;
  const width = format < 2 ? 10 : format === 2 ? 14 : 18;
  if (headBytes > bytes.length) return null;
  let number = 0;
  for (let i = headBytes - 1; i >= 0; i -= 1) number = number * 256 + bytes[i]!;
  const count = Math.floor(number / 16) % 2 ** width;
  const end = headBytes + Math.floor(number / 2 ** (4 + width));
  if (count > largestBlock || end > bytes.length) return null;
  let at = headBytes;
  if (kind === 2) {
    const read = readHuffmanTable(bytes, state.view, at, end);
    if (read === null) return null;
    state.huffman = read.table;
    at = read.end;
  }
  if (state.huffman === null) return null;
  const streams = format === 0 ? [[at, end, 0, count] as const] : fourStreams(bytes, at, end, count);
  for (const [start, stop, from, to] of streams) {
    if (start > stop || stop > end || from > to) return null;
    if (!readHuffmanStream(state.huffman, state.view, start, stop, state.literals, from, to)) return null;
  }
  return { count, end };
}

type Stream = readonly [start: number, stop: number, from: number, to: number];

function fourStreams(bytes: Uint8Array, at: number, end: number, count: number): readonly Stream[] {
  if (at + 6 > end) return [[1, 0, 0, 0]];
  const part = (count + 3) >> 2;
  const ends = [0, 2, 4].map((i) => bytes[at + i]! | (bytes[at + i + 1]! << 8));
  const one = at + 6;
  const two = one + ends[0]!;
  const three = two + ends[1]!;
  const four = three + ends[2]!;
  return [
    [one, two, 0, part],
    [two, three, part, part * 2],
    [three, four, part * 2, part * 3],
    [four, end, part * 3, count],
  ];
}

function readSequences(bytes: Uint8Array, from: number, literalCount: number, state: FrameState): string | null {
  let at = from;
  if (at >= bytes.length) return damaged;
  let count = bytes[at]!;
  at += 1;
  if (count === 255) {
    count = (bytes[at] ?? 0) + ((bytes[at + 1] ?? 0) << 8) + 0x7f00;
    at += 2;
  } else if (count > 127) {
    count = ((count - 128) << 8) + (bytes[at] ?? 0);
    at += 1;
  }
  if (count === 0) return copyLiterals(state, 0, literalCount);
  const modes = bytes[at] ?? 0;
  at += 1;
  for (const i of [0, 1, 2] as const) {
    const mode = (modes >> (6 - 2 * i)) & 3;
    const { mostLog, mostSymbol, predefined } = alphabets[i];
    if (mode === 0) state.tables[i] = predefined;
    else if (mode === 1) {
      if (at >= bytes.length || bytes[at]! > mostSymbol) return damaged;
      state.tables[i] = rleTable(bytes[at]!);
      at += 1;
    } else if (mode === 2) {
      const read = readFseTable(bytes, at, bytes.length, mostLog, mostSymbol);
      if (typeof read === 'string') return read;
      state.tables[i] = read.table;
      at = read.end;
    }
  }
  const [lengths, offsets, matches] = state.tables;
  if (lengths === null || offsets === null || matches === null) return damaged;
  return runSequences(count, literalCount, at, bytes.length, lengths, offsets, matches, state);
}

/** Each sequence: literals, then a match of earlier bytes. Written out for speed: this is where the time goes. */
function runSequences(
  count: number,
  literalCount: number,
  start: number,
  end: number,
  lengths: FseTable,
  offsets: FseTable,
  matches: FseTable,
  state: FrameState,
): string | null {
  const { out, repeats, view, literals, from } = state;
  const [lengthStates, offsetStates, matchStates] = [lengths.states, offsets.states, matches.states];
  let position = backwardBits(view, start, end);
  position -= lengths.log;
  let lengthState = lengthStates[bitsAt(view, start, position, lengths.log)]!;
  position -= offsets.log;
  let offsetState = offsetStates[bitsAt(view, start, position, offsets.log)]!;
  position -= matches.log;
  let matchState = matchStates[bitsAt(view, start, position, matches.log)]!;
  let literalAt = 0;
  let to = state.to;
  for (let i = 0; ; i += 1) {
    const offsetCode = offsetState & 0xff;
    if (offsetCode > 30) return 'the Zstandard data points further back than 1 GiB';
    let offsetValue = 1 << offsetCode;
    // At most 24 bits at once.
    if (offsetCode > 16) {
      position -= offsetCode - 16;
      offsetValue += bitsAt(view, start, position, offsetCode - 16) << 16;
      position -= 16;
      offsetValue += bitsAt(view, start, position, 16);
    } else {
      position -= offsetCode;
      offsetValue += bitsAt(view, start, position, offsetCode);
    }
    const matchWidth = matchBits[matchState & 0xff]!;
    position -= matchWidth;
    const match = matchBases[matchState & 0xff]! + bitsAt(view, start, position, matchWidth);
    const lengthWidth = literalBits[lengthState & 0xff]!;
    position -= lengthWidth;
    const length = literalBases[lengthState & 0xff]! + bitsAt(view, start, position, lengthWidth);
    const distance = distanceOf(repeats, offsetValue, length);
    if (position < 0 || literalAt + length > literalCount || distance <= 0) return damaged;
    if (length + match > out.length - to) return tooLong(state);
    if (length > 24) out.set(literals.subarray(literalAt, literalAt + length), to);
    else for (let k = 0; k < length; k += 1) out[to + k] = literals[literalAt + k]!;
    literalAt += length;
    to += length;
    if (distance > to - from) return damaged;
    copyMatch(out, to, distance, match);
    to += match;
    if (i + 1 === count) break;
    let width = (lengthState >> 8) & 0xff;
    position -= width;
    lengthState = lengthStates[(lengthState >>> 16) + bitsAt(view, start, position, width)]!;
    width = (matchState >> 8) & 0xff;
    position -= width;
    matchState = matchStates[(matchState >>> 16) + bitsAt(view, start, position, width)]!;
    width = (offsetState >> 8) & 0xff;
    position -= width;
    offsetState = offsetStates[(offsetState >>> 16) + bitsAt(view, start, position, width)]!;
  }
  state.to = to;
  return position === 0 ? copyLiterals(state, literalAt, literalCount) : damaged;
}

/** The last three distances can be named by number (RFC 8878, section 3.1.1.5). */
function distanceOf(repeats: [number, number, number], value: number, literals: number): number {
  if (value > 3) {
    repeats[2] = repeats[1];
    repeats[1] = repeats[0];
    repeats[0] = value - 3;
    return repeats[0];
  }
  const index = literals === 0 ? value : value - 1;
  if (index === 0) return repeats[0];
  const distance = index === 3 ? repeats[0] - 1 : repeats[index]!;
  if (index !== 1) repeats[2] = repeats[1];
  repeats[1] = repeats[0];
  repeats[0] = distance;
  return distance;
}

function copyLiterals(state: FrameState, from: number, to: number): string | null {
  if (to - from > state.out.length - state.to) return tooLong(state);
  state.out.set(state.literals.subarray(from, to), state.to);
  state.to += to - from;
  return null;
}
