// Sources made of other things: a part of a source, bytes in memory.
import type { ByteSource } from './source.ts';

/** `length` bytes of a source from `offset` on, as a source of their own. */
export function partOf(source: ByteSource, offset: number, length: number): ByteSource {
  const size = Math.max(0, Math.min(length, source.size - offset));
  return {
    size,
    read: async (at, count) =>
      at >= size || at < 0 ? new Uint8Array(0) : source.read(offset + at, Math.max(0, Math.min(count, size - at))),
  };
}

/** Bytes in memory as a source. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (at, count) => bytes.subarray(at, at + count) };
}
