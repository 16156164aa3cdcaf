import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const chunkLength = 1024 * 1024;
/** Chunks of files that were closed: a folder of a thousand logs needs one. */
const chunks: Uint8Array[] = [];

/** Reads bytes in chunks; a chunk is valid until the next one is asked for. */
export interface ByteReader {
  /** Size of a plain file, in bytes; null where it is not known. */
  readonly size: number | null;
  /** The next chunk; null at the end. Throws the system's error. */
  read(): Uint8Array | null;
  close(): void;
}

/**
 * Opens a file, or standard input for `-`.
 * @throws the system's error (ENOENT, EACCES, EISDIR …)
 */
export function openBytes(name: string): ByteReader {
  const fd = name === '-' ? 0 : openSync(name, 'r');
  const state = fstatSync(fd);
  if (name !== '-' && state.isDirectory()) {
    closeSync(fd);
    throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
  }
  const buffer = chunks.pop() ?? new Uint8Array(chunkLength);
  return {
    size: state.isFile() ? state.size : null,
    read: () => {
      const count = readSome(fd, buffer);
      return count === 0 ? null : buffer.subarray(0, count);
    },
    close: () => {
      if (fd !== 0) closeSync(fd);
      chunks.push(buffer);
    },
  };
}

function readSome(fd: number, buffer: Uint8Array): number {
  for (;;) {
    try {
      return readSync(fd, buffer, 0, buffer.length, null);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // Standard input that does not block (a terminal, some pipes) says so until there is something.
      if (code === 'EAGAIN' && fd === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      else if (code === 'EOF') return 0;
      else throw error;
    }
  }
}
