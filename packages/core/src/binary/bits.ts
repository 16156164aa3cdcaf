// Bits of a Zstandard stream that is written backwards: the last byte comes first, its highest set bit ends the stream.

/** Reader of one backward stream; `position` counts the bits that are left and goes below 0 where too many were read. */
export interface BitReader {
  readonly bytes: Uint8Array;
  readonly start: number;
  position: number;
}

/** Reader of `[start, end)`; null where the end mark is missing. */
export function backwardBits(bytes: Uint8Array, start: number, end: number): BitReader | null {
  const last = end > start ? (bytes[end - 1] ?? 0) : 0;
  if (last === 0) return null;
  return { bytes, start, position: (end - start) * 8 - (Math.clz32(last) - 24) - 1 };
}

/** The next `count` bits, 24 at most. Beyond the end they are zeros. */
export function readBits(reader: BitReader, count: number): number {
  if (count === 0) return 0;
  reader.position -= count;
  return bitsAt(reader, reader.position, count);
}

/** `count` bits, 24 at most, that begin at bit `position`; bits before the stream are zeros. */
export function bitsAt(reader: BitReader, position: number, count: number): number {
  const { bytes, start } = reader;
  if (position >= 0) {
    const at = start + (position >> 3);
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    return (word >>> (position & 7)) & ((1 << count) - 1);
  }
  if (position + count <= 0) return 0;
  // A few bits of the first byte, moved up.
  return (bitsAt(reader, 0, position + count) << -position) & ((1 << count) - 1);
}
