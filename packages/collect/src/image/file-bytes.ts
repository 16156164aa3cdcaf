// Reading plain files: never a pipe or device in their place.
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { ImageError } from './errors.ts';
import type { OpenFile } from './open-file.ts';

const chunkLength = 512 * 1024;

/** @throws ImageError where it is missing, no plain file, or may not be read */
export async function openFile(path: string, what: string = path): Promise<OpenFile> {
  let handle: FileHandle;
  try {
    // A pipe without a writer would block.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw fileError(error, what);
  }
  const state = await handle.stat();
  if (!state.isFile()) {
    await handle.close();
    throw new ImageError('no-image', `${what}: it is no plain file`);
  }
  const readInto = async (buffer: Uint8Array, offset: number, length: number): Promise<Uint8Array> => {
    let filled = 0;
    try {
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
    } catch (error) {
      throw fileError(error, what);
    }
    return filled === buffer.length ? buffer : buffer.subarray(0, filled);
  };
  const read = (offset: number, length: number): Promise<Uint8Array> =>
    readInto(Buffer.allocUnsafeSlow(length), offset, length);
  return {
    size: state.size,
    read,
    async *stream(offset, length) {
      for (let at = 0; at < length;) {
        const chunk = await read(offset + at, Math.min(chunkLength, length - at));
        if (chunk.length === 0) return;
        at += chunk.length;
        yield chunk;
      }
    },
    close: () => handle.close(),
  };
}

export function fileError(error: unknown, what: string): ImageError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new ImageError('no-image', `${what}: there is no such file`);
  if (code === 'EACCES' || code === 'EPERM') return new ImageError('denied', `${what}: it may not be read`, 'as root?');
  return new ImageError('unreachable', `${what}: ${message}`);
}
