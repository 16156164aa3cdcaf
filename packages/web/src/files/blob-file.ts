/** Of workers only, and in no library of types that a page has. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Reads bytes at a place, and waits for them: what SQLite asks for. */
export interface SyncSource {
  readonly size: number;
  /** Fewer only where the end is reached. */
  read(offset: number, length: number): Uint8Array;
}

const blockBytes = 1024 * 1024;
/** Blocks that are held: 48 MB. */
const mostBlocks = 48;

/** Reads a file in blocks, of which the last ones used are held. */
export function inBlocks(size: number, readBlock: (offset: number, length: number) => Uint8Array): SyncSource {
  const blocks = new Map<number, Uint8Array>();
  const blockAt = (number: number): Uint8Array => {
    const known = blocks.get(number);
    if (known !== undefined) {
      // The last one used comes last.
      blocks.delete(number);
      blocks.set(number, known);
      return known;
    }
    const bytes = readBlock(number * blockBytes, Math.min(blockBytes, size - number * blockBytes));
    if (blocks.size >= mostBlocks) blocks.delete(blocks.keys().next().value!);
    blocks.set(number, bytes);
    return bytes;
  };
  return {
    size,
    read: (offset, length) => {
      const end = Math.min(size, offset + length);
      const first = Math.floor(offset / blockBytes);
      if (end <= offset) return new Uint8Array(0);
      if (first === Math.floor((end - 1) / blockBytes))
        return blockAt(first).subarray(offset - first * blockBytes, end - first * blockBytes);
      const bytes = new Uint8Array(end - offset);
      for (let at = offset; at < end;) {
        const number = Math.floor(at / blockBytes);
        const part = blockAt(number).subarray(at - number * blockBytes, end - number * blockBytes);
        if (part.length === 0) return bytes.subarray(0, at - offset);
        bytes.set(part, at - offset);
        at += part.length;
      }
      return bytes;
    },
  };
}

/** A file, in a worker: only there can its bytes be waited for. */
export function syncSourceOf(file: Blob): SyncSource {
  const reader = new FileReaderSync();
  return inBlocks(
    file.size,
    (offset, length) => new Uint8Array(reader.readAsArrayBuffer(file.slice(offset, offset + length))),
  );
}
