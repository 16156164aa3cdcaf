// Numbers in bytes.

/** A view over the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Unsigned 64-bit number, little endian. Above 2^53 it is not exact, and always larger than any file: a comparison with
 * an end still tells the truth.
 */
export function readUnsigned64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
}
