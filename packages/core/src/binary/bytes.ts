// Numbers in bytes.

/** A view over the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Unsigned 64-bit number, little endian. Above 2^53 - 1 it is that: larger than any file, so that a comparison with an
 * end still tells the truth.
 */
export function readUnsigned64(view: DataView, at: number): number {
  const value = view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
