// Bytes that can be read at any place.

/** A plain file that is open. */
export interface OpenFile {
  readonly size: number;
  /** Bytes from a place on; fewer where the file ends. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** A part of the file in order; a chunk is valid until the next one is asked for. */
  stream(offset: number, length: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}
