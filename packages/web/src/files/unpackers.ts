import type { OpenUnpacker, Unpacker } from '@culprit/collect/anywhere/text';
import { NoUnpacker, throughFzstd, whatFailed } from '@culprit/collect/anywhere/text';

/** A small piece can unpack to a thousand times its size. */
const piece = 16 * 1024;

/** Unpacks what a browser can unpack: gzip of any number of members, and Zstandard. */
export const browserUnpacker: OpenUnpacker = async (packing, take) => {
  if (packing === 'gzip') return throughGunzip(take);
  if (packing === 'zstd') return throughFzstd(take);
  throw new NoUnpacker(packing, `a browser does not unpack ${packing}`);
};

async function throughGunzip(take: (chunk: Uint8Array) => Promise<void>): Promise<Unpacker> {
  const { Gunzip } = await import('fflate');
  let ready: Uint8Array[] = [];
  let failed: string | null = null;
  const stream = new Gunzip((chunk) => void ready.push(chunk));
  const give = async (chunk: Uint8Array, last: boolean): Promise<void> => {
    if (failed !== null) return;
    try {
      stream.push(chunk, last);
    } catch (error) {
      failed = whatFailed(error as Error);
    }
    const some = ready;
    ready = [];
    for (const each of some) if (each.length > 0) await take(each);
  };
  return {
    push: async (chunk) => {
      for (let at = 0; at < chunk.length; at += piece) await give(chunk.slice(at, at + piece), false);
    },
    end: async () => {
      await give(new Uint8Array(0), true);
      return failed;
    },
  };
}
