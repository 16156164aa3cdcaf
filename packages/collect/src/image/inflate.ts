// Inflates a layer while it comes: gzip, zstd, or nothing to be done.
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { zstdStream } from '@culprit/core/binary/zstd-stream';

export interface Inflater {
  /** False where the bytes are given on as they are. */
  readonly packed: boolean;
  /** Ready for more once the promise is kept; the chunk is then no longer looked at. */
  push(chunk: Uint8Array): Promise<void>;
  /** @returns what was wrong with the packed data; null if nothing */
  end(): Promise<string | null>;
  /** Nothing more is wanted. */
  close(): void;
}

type Take = (chunk: Uint8Array) => void;
type ZstdOf = (options?: object) => Transform;

/** Bytes of one piece of what is inflated. */
const chunkSize = 512 * 1024;

/**
 * @param first the beginning of the data, at least its first 8 bytes where it is longer; it is not taken yet
 * @param take gets what it inflates to, in order; must not throw
 */
export function inflaterOf(first: Uint8Array, take: Take): Inflater {
  const packing = packingOf(first);
  if (packing === 'gzip') return throughStream(zlib.createGunzip({ chunkSize }), take);
  if (packing === null) return plain(take);
  const native = (zlib as unknown as { readonly createZstdDecompress?: ZstdOf }).createZstdDecompress;
  return native === undefined ? throughOwn(take) : throughStream(native({ chunkSize }), take);
}

/** How data is packed, by its first bytes (RFC 1952, RFC 8878; skippable frames may come first). */
export function packingOf(first: Uint8Array): 'gzip' | 'zstd' | null {
  if (first[0] === 0x1f && first[1] === 0x8b) return 'gzip';
  if (first[0] === 0x28 && first[1] === 0xb5 && first[2] === 0x2f && first[3] === 0xfd) return 'zstd';
  const skippable = (first[0]! & 0xf0) === 0x50 && first[1] === 0x2a && first[2] === 0x4d && first[3] === 0x18;
  return skippable ? 'zstd' : null;
}

function plain(take: Take): Inflater {
  return {
    packed: false,
    push: async (chunk) => take(chunk),
    end: async () => null,
    close: () => {},
  };
}

function throughStream(stream: Transform, take: Take): Inflater {
  let failed: Error | null = null;
  let closed = false;
  stream.on('data', (chunk: Uint8Array) => {
    if (!closed) take(chunk);
  });
  const ended = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.once('end', resolve);
    stream.on('error', (error) => {
      failed ??= error;
      resolve();
    });
  });
  return {
    packed: true,
    push: async (chunk) => {
      if (failed !== null || closed || stream.destroyed) return;
      // Whatever the high-water mark is: the chunk belongs to the caller again once it was inflated.
      const written = new Promise<void>((resolve) => {
        stream.write(chunk, () => resolve());
      });
      await Promise.race([written, ended]);
    },
    end: async () => {
      if (failed === null && !closed && !stream.destroyed) stream.end();
      await ended;
      return failed === null ? null : whatFailed(failed);
    },
    close: () => {
      closed = true;
      stream.destroy();
    },
  };
}

/** Zstandard of node is not there before 22.15. */
function throughOwn(take: Take): Inflater {
  let closed = false;
  const stream = zstdStream((chunk) => {
    if (!closed) take(chunk);
    return !closed;
  });
  return {
    packed: true,
    push: async (chunk) => {
      if (!closed) stream.push(chunk);
    },
    end: async () => {
      const failed = stream.end();
      return failed === null ? null : whatFailed(new Error(failed));
    },
    close: () => {
      closed = true;
    },
  };
}

function whatFailed(error: Error): string {
  const text = error.message.toLowerCase();
  return text.includes('ends early') ||
    text.includes('unexpected end') ||
    text.includes('unexpected eof') ||
    text.includes('buf_error')
    ? 'the compressed data ends early'
    : `the compressed data is damaged (${error.message})`;
}
