import type { Packing } from '@culprit/core/text/sniff';

/** Takes packed bytes; what they unpack to goes to the `take` it was made with. */
export interface Unpacker {
  push(chunk: Uint8Array): Promise<void>;
  /** @returns what was wrong with the packed data, null if nothing */
  end(): Promise<string | null>;
}

/**
 * Begins to unpack.
 * @param take gets the unpacked chunks one after the other, each before the next; it stops the work by throwing
 * @throws NoUnpacker, also from `push` or `end`, where this is not unpacked here
 */
export type OpenUnpacker = (packing: Packing, take: (chunk: Uint8Array) => Promise<void>) => Promise<Unpacker>;

/** What would unpack this is not here. */
export class NoUnpacker extends Error {
  readonly program: string;

  constructor(program: string, message: string = `the program ${program} is not installed here`) {
    super(message);
    this.program = program;
  }
}

/** What went wrong, in words. */
export function whatFailed(error: Error): string {
  const text = error.message.toLowerCase();
  return text.includes('unexpected end') || text.includes('unexpected eof') || text.includes('buf_error')
    ? 'the compressed data ends early; what came before it was read'
    : `the compressed data is damaged (${error.message}); what came before it was read`;
}

/**
 * Zstandard by fzstd, piece by piece: a small push can unpack to much, 2 KiB give 64 MiB at most.
 * @param take as for `OpenUnpacker`
 */
export async function throughFzstd(take: (chunk: Uint8Array) => Promise<void>): Promise<Unpacker> {
  const { Decompress } = await import('fzstd');
  const step = 2048;
  let waiting: Uint8Array[] = [];
  let failed: string | null = null;
  const stream = new Decompress((chunk) => void waiting.push(chunk));
  const give = async (chunk: Uint8Array, last: boolean): Promise<void> => {
    if (failed !== null) return;
    try {
      stream.push(chunk, last);
    } catch (error) {
      failed = whatFailed(error as Error);
    }
    const ready = waiting;
    waiting = [];
    for (const each of ready) await take(each);
  };
  return {
    push: async (chunk) => {
      for (let at = 0; at < chunk.length; at += step) await give(chunk.slice(at, at + step), false);
    },
    end: async () => {
      await give(new Uint8Array(0), true);
      return failed;
    },
  };
}
