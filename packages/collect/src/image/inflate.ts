// Inflates a layer while it comes: gzip, zstd, or nothing to be done.
import { createHash } from 'node:crypto';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Inflater, LayerTools } from './packing.ts';
import { packingOf, plainInflater, throughOwnZstd, whatFailed } from './packing.ts';

type Take = (chunk: Uint8Array) => void;
type ZstdOf = (options?: object) => Transform;

/** Bytes of one piece of what is inflated. */
const chunkSize = 512 * 1024;

/**
 * @param first the beginning of the data, at least its first 8 bytes where it is longer; it is not taken yet
 * @param take gets what it inflates to, in order; must not throw
 */
function inflaterOf(first: Uint8Array, take: Take): Inflater {
  const packing = packingOf(first);
  if (packing === 'gzip') return throughStream(zlib.createGunzip({ chunkSize }), take);
  if (packing === null) return plainInflater(take);
  const native = (zlib as unknown as { readonly createZstdDecompress?: ZstdOf }).createZstdDecompress;
  return native === undefined ? throughOwnZstd(take) : throughStream(native({ chunkSize }), take);
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

/** Layers are read with what node has. */
export const nodeTools: LayerTools = { inflaterOf, hasher: (algorithm) => createHash(algorithm) };
