import { once } from 'node:events';
import * as zlib from 'node:zlib';

/** Takes compressed bytes and hands on what they unpack to. */
export interface Unpacker {
  push(chunk: Uint8Array): Promise<void>;
  /** @returns what was wrong with the compressed data, null if nothing */
  end(): Promise<string | null>;
}

/**
 * @param take gets each unpacked chunk; it may stop the work by throwing
 */
export async function unpacker(format: 'gzip' | 'zstd', take: (chunk: Uint8Array) => void): Promise<Unpacker> {
  if (format === 'gzip') return ofStream(zlib.createGunzip({ chunkSize: 256 * 1024 }), take);
  const native = (zlib as unknown as { createZstdDecompress?: (options?: object) => zlib.Gunzip }).createZstdDecompress;
  if (native !== undefined) return ofStream(native({ chunkSize: 256 * 1024 }), take);
  return ofFzstd(take);
}

function ofStream(stream: zlib.Gunzip, take: (chunk: Uint8Array) => void): Unpacker {
  let failed: Error | null = null;
  let stopped: Error | null = null;
  stream.on('data', (chunk: Uint8Array) => {
    if (stopped !== null) return;
    try {
      take(chunk);
    } catch (error) {
      stopped = error as Error;
      stream.destroy();
    }
  });
  const closed = new Promise<void>((resolve) => {
    stream.on('error', (error: Error) => {
      failed = error;
      resolve();
    });
    stream.on('end', resolve);
    stream.on('close', resolve);
  });
  return {
    push: async (chunk) => {
      if (failed === null && stopped === null && !stream.write(new Uint8Array(chunk))) {
        await Promise.race([once(stream, 'drain').catch(() => {}), closed]);
      }
      if (stopped !== null) throw stopped;
    },
    end: async () => {
      if (failed === null && stopped === null) stream.end();
      await closed;
      if (stopped !== null) throw stopped;
      return failed === null ? null : whatFailed(failed);
    },
  };
}

async function ofFzstd(take: (chunk: Uint8Array) => void): Promise<Unpacker> {
  const { Decompress } = await import('fzstd');
  let stopped: Error | null = null;
  let failed: string | null = null;
  const stream = new Decompress((chunk) => {
    if (stopped !== null) return;
    try {
      take(chunk);
    } catch (error) {
      stopped = error as Error;
    }
  });
  const give = (chunk: Uint8Array, last: boolean): void => {
    if (failed !== null) return;
    try {
      stream.push(chunk, last);
    } catch (error) {
      failed = whatFailed(error as Error);
    }
    if (stopped !== null) throw stopped;
  };
  return {
    push: async (chunk) => give(new Uint8Array(chunk), false),
    end: async () => {
      give(new Uint8Array(0), true);
      return failed;
    },
  };
}

function whatFailed(error: Error): string {
  const text = error.message.toLowerCase();
  return text.includes('unexpected end') || text.includes('unexpected eof') || text.includes('buf_error')
    ? 'the compressed data ends early; what came before it was read'
    : `the compressed data is damaged (${error.message}); what came before it was read`;
}
