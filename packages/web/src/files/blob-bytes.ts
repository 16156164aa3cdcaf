import type { OpenFile } from '@culprit/collect/anywhere/image';
import type { ByteSource } from '@culprit/core/binary/source';

/** Bytes that are asked of a file at a time. */
const step = 1024 * 1024;

/** Some bytes of a file, from a place on. */
export async function bytesAt(file: Blob, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
}

/** A file as what reads machine code asks for it. */
export function sourceOfBlob(file: Blob): ByteSource {
  return { size: file.size, read: (offset, length) => bytesAt(file, offset, length) };
}

/** A file as what reads archives asks for it. @param passed is told how many bytes were read */
export function openBlob(file: Blob, passed: (bytes: number) => void = () => {}): OpenFile {
  return {
    size: file.size,
    read: async (offset, length) => {
      passed(length);
      return bytesAt(file, offset, length);
    },
    async *stream(offset, length) {
      for (let at = 0; at < length; at += step) {
        const bytes = await bytesAt(file, offset + at, Math.min(step, length - at));
        if (bytes.length === 0) return;
        passed(bytes.length);
        yield bytes;
      }
    },
    close: async () => {},
  };
}

/** The bytes of a file in order; one piece is held at a time. */
export async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < file.size; at += step) yield await bytesAt(file, at, step);
}
