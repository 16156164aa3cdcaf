import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';

/** Unpacks a raw deflate stream. Rejects with what is wrong; what came before was given. */
export async function* inflateRaw(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = zlib.createInflateRaw({ chunkSize: 256 * 1024 });
  const input = Readable.from(packed, { objectMode: true, highWaterMark: 2 });
  input.on('error', (error: Error) => inflate.destroy(error));
  input.pipe(inflate);
  try {
    for await (const chunk of inflate) yield chunk as Uint8Array;
  } finally {
    input.destroy();
    inflate.destroy();
  }
}

/** Zstandard of node, where it has one; undefined before 22.15. */
export const nativeZstd: ((packed: Uint8Array, size: number) => Uint8Array | string) | undefined = nativeOf();

function nativeOf(): ((packed: Uint8Array, size: number) => Uint8Array | string) | undefined {
  const unpack = (
    zlib as unknown as { zstdDecompressSync?: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array }
  ).zstdDecompressSync;
  if (unpack === undefined) return undefined;
  return (packed, size) => {
    try {
      const bytes = unpack(packed, { maxOutputLength: Math.max(1, size) });
      return bytes.length === size ? bytes : `it unpacks to ${bytes.length} bytes; the header says ${size}`;
    } catch (error) {
      return `the Zstandard data are damaged: ${(error as Error).message}`;
    }
  };
}
