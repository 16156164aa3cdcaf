// The one interface behind which images lie.

/** Where the parts of an image are: a registry, a layout, an archive, a node. All are named by their digest. */
export interface BlobStore {
  /** How it is named in messages. */
  readonly place: string;
  /**
   * A small part as a whole; the caller verifies its digest.
   * @param kind registries keep manifests apart
   * @throws ImageError where it is not there or longer than `most`
   */
  read(digest: string, kind: 'manifest' | 'blob', most: number): Promise<Uint8Array>;
  /** The bytes of a part in order. Rejects with an ImageError where they cannot be had. */
  open(digest: string): AsyncIterable<Uint8Array>;
  /** Bytes of a part from a place on; null where only the whole can be had. Absent where that saves nothing. */
  range?(digest: string, offset: number, length: number): Promise<Uint8Array | null>;
  close?(): void;
}
