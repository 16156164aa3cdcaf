// A file of machine code read while its bytes go by, as in a layer of an image: a bounded amount is held.
import type { FileFacts } from './model.ts';

/** Gets the bytes of one file in order. */
export interface PassingFile {
  /** The next bytes. The chunk is not kept; the caller may reuse it. Never throws. */
  push(chunk: Uint8Array): void;
  /** True once no further byte is of use: the rest need not be pushed. */
  readonly done: boolean;
  /** After the last byte. Null where the file is none of machine code. Never rejects. */
  end(): Promise<FileFacts | null>;
}

/**
 * Begins a file that passes by.
 * @param name its name or path: file names of libraries hold versions
 * @param size its bytes, where the archive tells them; else null
 */
export function passingFile(name: string, size: number | null): PassingFile {
  void name;
  void size;
  return { push: () => {}, done: false, end: async () => null };
}
