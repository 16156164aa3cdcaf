// Small reads from one large read: neighbours are mostly wanted next.
import type { ByteSource } from './source.ts';

/** Bytes of a source, some of them held. */
export interface Window {
  /** Bytes from `offset` on; fewer where the source ends. At most 16 MiB. Valid until the next call. */
  take(offset: number, length: number): Promise<Uint8Array>;
}

/** Reads at least `span` bytes at a time and holds the last piece. */
export function windowOf(source: ByteSource, span: number): Window {
  let held: Uint8Array = new Uint8Array(0);
  let from = 0;
  return {
    async take(offset, length) {
      const wanted = Math.max(0, Math.min(length, source.size - offset));
      if (offset < from || offset + wanted > from + held.length) {
        from = offset;
        held = await source.read(offset, Math.min(Math.max(wanted, span), source.size - offset));
      }
      return held.subarray(offset - from, offset - from + wanted);
    },
  };
}
