// LZ4 blocks, bare as fat binaries hold them: no frame, the unpacked length is known.
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md

/**
 * Unpacks one block that gives `size` bytes. Work is bounded by the two lengths.
 * @returns the bytes, or why they cannot be had
 */
export function unpackLz4(packed: Uint8Array, size: number): Uint8Array | string {
  const out = new Uint8Array(size);
  let at = 0;
  let to = 0;
  while (at < packed.length) {
    const token = packed[at]!;
    at += 1;
    let literals = token >> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255 && at < packed.length) {
        more = packed[at]!;
        at += 1;
        literals += more;
      }
    }
    if (literals > packed.length - at) return `the LZ4 data ends early, after ${to} bytes`;
    if (literals > size - to) return `the LZ4 data gives more than the ${size} bytes that its header says`;
    if (literals > 16) out.set(packed.subarray(at, at + literals), to);
    else for (let i = 0; i < literals; i += 1) out[to + i] = packed[at + i]!;
    at += literals;
    to += literals;
    // Padding may follow the last literals.
    if (to === size || at + 2 > packed.length) break;
    const distance = packed[at]! | (packed[at + 1]! << 8);
    at += 2;
    let length = (token & 15) + 4;
    if (length === 19) {
      let more = 255;
      while (more === 255 && at < packed.length) {
        more = packed[at]!;
        at += 1;
        length += more;
      }
    }
    if (distance === 0 || distance > to) return `the LZ4 data is damaged: it points ${distance} bytes back from ${to}`;
    if (length > size - to) return `the LZ4 data gives more than the ${size} bytes that its header says`;
    copyMatch(out, to, distance, length);
    to += length;
  }
  return to === size ? out : `the LZ4 data gives ${to} bytes, its header says ${size}`;
}

/** Repeats what lies `distance` bytes back; source and target may overlap. */
export function copyMatch(out: Uint8Array, to: number, distance: number, length: number): void {
  if (length > 48 && distance >= length) {
    out.copyWithin(to, to - distance, to - distance + length);
    return;
  }
  const end = to + length;
  for (let from = to - distance; to < end; from += 1, to += 1) out[to] = out[from]!;
}
