// Where bytes come from: a file, an archive entry, an HTTP range, a browser's Blob. Readers of this folder ask for ranges
// and never hold a whole file.

/** Bytes that can be read at any place. */
export interface ByteSource {
  /** Bytes there are. */
  readonly size: number;
  /**
   * Bytes from `offset` on, up to `length` of them; fewer only where the end is reached. Never asked for a negative
   * place or for more than 16 MiB at once. Rejects where the bytes cannot be read.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
}
