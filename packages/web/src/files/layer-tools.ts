import type { Inflater, LayerTools } from '@culprit/collect/anywhere/image';
import { packingOf, plainInflater, throughOwnZstd, whatFailed } from '@culprit/collect/anywhere/image';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Gunzip } from 'fflate';

const piece = 16 * 1024;

/** Layers are read with what works in every browser: digests of the platform are not given in pieces. */
export const browserTools: LayerTools = {
  inflaterOf: (first, take) => {
    const packing = packingOf(first);
    if (packing === null) return plainInflater(take);
    return packing === 'zstd' ? throughOwnZstd(take) : throughGunzip(take);
  },
  hasher: (algorithm) => {
    const hash = (algorithm === 'sha256' ? sha256 : sha512).create();
    return { update: (bytes) => hash.update(bytes), digest: () => bytesToHex(hash.digest()) };
  },
};

function throughGunzip(take: (chunk: Uint8Array) => void): Inflater {
  let closed = false;
  let failed: string | null = null;
  const stream = new Gunzip((chunk) => {
    if (!closed && chunk.length > 0) take(chunk);
  });
  const give = (chunk: Uint8Array, last: boolean): void => {
    if (closed || failed !== null) return;
    try {
      stream.push(chunk, last);
    } catch (error) {
      failed = whatFailed(error as Error);
    }
  };
  return {
    packed: true,
    push: async (chunk) => {
      // The stream keeps what it was given: a copy.
      for (let at = 0; at < chunk.length; at += piece) give(chunk.slice(at, at + piece), false);
    },
    end: async () => {
      give(new Uint8Array(0), true);
      return failed;
    },
    close: () => {
      closed = true;
    },
  };
}
