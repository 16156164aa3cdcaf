// Bits of a Zstandard stream that is written backwards: the last byte comes first, its highest set bit ends the stream.

/** Where the first bit to read lies above `start`, in bits; -1 where the end mark of `[start, end)` is missing. */
export function backwardBits(view: DataView, start: number, end: number): number {
  const last = end > start ? view.getUint8(end - 1) : 0;
  return last === 0 ? -1 : (end - start) * 8 - (Math.clz32(last) - 24) - 1;
}

/**
 * `count` bits, 24 at most, that begin `position` bits above `start`; bits before the stream are zeros. Four bytes are
 * read at once: the view must go on behind the stream.
 */
export function bitsAt(view: DataView, start: number, position: number, count: number): number {
  if (position >= 0) return (view.getUint32(start + (position >> 3), true) >>> (position & 7)) & ((1 << count) - 1);
  if (position + count <= 0) return 0;
  // A few bits of the first byte, moved up.
  return (bitsAt(view, start, 0, position + count) << -position) & ((1 << count) - 1);
}
