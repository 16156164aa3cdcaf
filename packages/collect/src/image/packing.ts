// How the bytes of a layer or archive are packed, and what unpacks them.
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

/**
 * @param first the beginning of the data, at least its first 8 bytes where it is longer; it is not taken yet
 * @param take gets what it inflates to, in order; must not throw
 */
export type InflaterOf = (first: Uint8Array, take: (chunk: Uint8Array) => void) => Inflater;

/** Digests what it is given, piece by piece. */
export interface Hasher {
  update(bytes: Uint8Array): unknown;
  digest(form: 'hex'): string;
}

/** What a layer is read with: it differs between systems. */
export interface LayerTools {
  readonly inflaterOf: InflaterOf;
  hasher(algorithm: 'sha256' | 'sha512'): Hasher;
}

/** How data is packed, by its first bytes (RFC 1952, RFC 8878; skippable frames may come first). */
export function packingOf(first: Uint8Array): 'gzip' | 'zstd' | null {
  if (first[0] === 0x1f && first[1] === 0x8b) return 'gzip';
  if (first[0] === 0x28 && first[1] === 0xb5 && first[2] === 0x2f && first[3] === 0xfd) return 'zstd';
  const skippable = (first[0]! & 0xf0) === 0x50 && first[1] === 0x2a && first[2] === 0x4d && first[3] === 0x18;
  return skippable ? 'zstd' : null;
}

/** Bytes that need no unpacking. */
export function plainInflater(take: (chunk: Uint8Array) => void): Inflater {
  return {
    packed: false,
    push: async (chunk) => take(chunk),
    end: async () => null,
    close: () => {},
  };
}

/** Zstandard by our own reader. */
export function throughOwnZstd(take: (chunk: Uint8Array) => void): Inflater {
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

/** What was wrong with packed data, in words. */
export function whatFailed(error: Error): string {
  const text = error.message.toLowerCase();
  return text.includes('ends early') ||
    text.includes('unexpected end') ||
    text.includes('unexpected eof') ||
    text.includes('buf_error')
    ? 'the compressed data ends early'
    : `the compressed data is damaged (${error.message})`;
}
