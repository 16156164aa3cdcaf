// Inflates a layer while it comes: gzip, zstd, or nothing to be done.
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

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
  return native === undefined ? throughFzstd(take) : throughStream(native({ chunkSize }), take);
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
function throughFzstd(take: Take): Inflater {
  // A small push can unpack to much: 2 KiB give 64 MiB at most.
  const step = 2048;
  let failed: string | null = null;
  let closed = false;
  let stream: { push(chunk: Uint8Array, last: boolean): void } | null = null;
  const give = (chunk: Uint8Array, last: boolean): void => {
    if (failed !== null || closed) return;
    try {
      stream!.push(chunk, last);
    } catch (error) {
      failed = whatFailed(error as Error);
    }
  };
  const open = async (): Promise<void> => {
    const { Decompress } = await import('fzstd');
    stream ??= new Decompress((chunk) => {
      if (!closed) take(chunk);
    });
  };
  return {
    packed: true,
    push: async (chunk) => {
      if (stream === null) await open();
      for (let at = 0; at < chunk.length; at += step) give(chunk.slice(at, at + step), false);
    },
    end: async () => {
      if (stream === null) await open();
      give(new Uint8Array(0), true);
      return failed;
    },
    close: () => {
      closed = true;
    },
  };
}

function whatFailed(error: Error): string {
  const text = error.message.toLowerCase();
  return text.includes('unexpected end') || text.includes('unexpected eof') || text.includes('buf_error')
    ? 'the compressed data ends early'
    : `the compressed data is damaged (${error.message})`;
}
