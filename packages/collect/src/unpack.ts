import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Packing } from '@culprit/core/text/sniff';
import type { Unpacker } from './unpacking.ts';
import { NoUnpacker, throughFzstd, whatFailed } from './unpacking.ts';

/** A program of the system that unpacks, from standard input to standard output, where node cannot. */
const programs: Readonly<Record<'xz' | 'bzip2' | 'lz4', readonly [string, ...string[]]>> = {
  xz: ['xz', '-dc'],
  bzip2: ['bzip2', '-dc'],
  lz4: ['lz4', '-dc'],
};

/**
 * @param take gets the unpacked chunks one after the other, each before the next; it stops the work by throwing
 * @throws NoUnpacker from `push` or `end`, where the system lacks the program
 */
export async function unpacker(packing: Packing, take: (chunk: Uint8Array) => Promise<void>): Promise<Unpacker> {
  if (packing === 'gzip') return throughGunzip(take);
  if (packing !== 'zstd') return throughProgram(programs[packing], take);
  const native = (zlib as unknown as { createZstdDecompress?: (options?: object) => zlib.Gunzip }).createZstdDecompress;
  // Not there before 22.15.
  if (native === undefined) return throughFzstd(take);
  const stream = native({ chunkSize: 256 * 1024 });
  return throughStream(stream, stream, take);
}

/** Bytes of a gzip file that are kept for a second look. */
const mostKept = 4 * 1024 ** 2;

/**
 * zlib throws what it unpacked of a piece away where other bytes follow the last member in the same piece. Pieces are
 * therefore small, and of a small file the end of the last member is looked for.
 */
function throughGunzip(take: (chunk: Uint8Array) => Promise<void>): Unpacker {
  const gunzip = zlib.createGunzip({ chunkSize: 256 * 1024 });
  let taken = 0;
  const stream = throughStream(gunzip, gunzip, async (chunk) => {
    taken += chunk.length;
    await take(chunk);
  });
  let kept: Uint8Array[] | null = [];
  let bytes = 0;
  return {
    push: async (chunk) => {
      bytes += chunk.length;
      if (bytes > mostKept) kept = null;
      else kept?.push(chunk.slice());
      for (let at = 0; at < chunk.length; at += pieceLength) await stream.push(chunk.subarray(at, at + pieceLength));
    },
    end: async () => {
      const wrong = await stream.end();
      if (wrong === null || kept === null) return wrong;
      const whole = longestMembers(Buffer.concat(kept));
      if (whole.length > taken) await take(whole.subarray(taken));
      return wrong;
    },
  };
}

const pieceLength = 64 * 1024;

/** What the longest beginning of a gzip file unpacks to that is sound, the last member perhaps cut. */
function longestMembers(packed: Uint8Array): Uint8Array {
  let sound: Uint8Array = new Uint8Array(0);
  let least = 0;
  let most = packed.length;
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    try {
      sound = zlib.gunzipSync(packed.subarray(0, middle), {
        finishFlush: zlib.constants.Z_SYNC_FLUSH,
        maxOutputLength: 64 * 1024 ** 2,
      });
      least = middle;
    } catch {
      most = middle - 1;
    }
  }
  return sound;
}

function throughStream(input: Writable, output: Readable, take: (chunk: Uint8Array) => Promise<void>): Unpacker {
  let failed: Error | null = null;
  let stopped: Error | null = null;
  input.on('error', (error: Error) => {
    failed ??= error;
  });
  const pumped = (async (): Promise<void> => {
    try {
      for await (const chunk of output) {
        try {
          await take(chunk as Uint8Array);
        } catch (error) {
          stopped = error as Error;
          return;
        }
      }
    } catch (error) {
      failed ??= error as Error;
    }
  })();
  return {
    push: async (chunk) => {
      if (failed === null && stopped === null && !input.destroyed && !input.write(new Uint8Array(chunk))) {
        await Promise.race([once(input, 'drain').catch(() => {}), pumped]);
      }
      if (stopped !== null) throw stopped;
    },
    end: async () => {
      if (failed === null && stopped === null && !input.destroyed) input.end();
      await pumped;
      if (stopped !== null) throw stopped;
      return failed === null ? null : whatFailed(failed);
    },
  };
}

async function throughProgram(
  [program, ...args]: readonly [string, ...string[]],
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<Unpacker> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const started = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (!started) throw new NoUnpacker(program);
  const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const through = throughStream(child.stdin, child.stdout, take);
  const orKill = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  };
  return {
    push: async (chunk) => orKill(through.push(chunk)),
    end: async () => {
      await orKill(through.end());
      const code = await closed;
      return code === 0 ? null : `${program} says that the packed data is damaged or ends early; what it gave was read`;
    },
  };
}
