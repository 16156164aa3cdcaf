import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { ByteSource } from '@culprit/core/binary/source';

/** A plain file, read by place. */
export interface FileSource extends ByteSource {
  close(): void;
}

/**
 * Opens a file for reading at any place.
 * @throws the system's error (ENOENT, EACCES …), and EISDIR or ENXIO for what is no plain file
 */
export function openSource(path: string): FileSource {
  // A pipe without a writer would hold the opening up.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const state = fstatSync(fd);
  if (!state.isFile()) {
    closeSync(fd);
    throw Object.assign(new Error(state.isDirectory() ? 'is a directory' : 'is no plain file'), {
      code: state.isDirectory() ? 'EISDIR' : 'ENXIO',
    });
  }
  return {
    size: state.size,
    // Reads are small and mostly come from the page cache: waiting for them is faster than a thread's answer.
    read: async (offset, length) => {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, state.size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        const count = readSync(fd, bytes, filled, bytes.length - filled, offset + filled);
        if (count === 0) return bytes.subarray(0, filled);
        filled += count;
      }
      return bytes;
    },
    close: () => closeSync(fd),
  };
}
