// OCI image layouts in folders.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';
import { ImageError } from './errors.ts';
import { openFile } from './file-bytes.ts';
import { algorithmOf } from './layer-reader.ts';

/** Blobs in a folder: `blobs/sha256/<hex>`. */
export function folderStore(folder: string): BlobStore {
  const pathOf = (digest: string): string => {
    const algorithm = algorithmOf(digest);
    return join(folder, 'blobs', algorithm, digest.slice(algorithm.length + 1));
  };
  const missing = (error: unknown, digest: string): unknown =>
    error instanceof ImageError && error.code === 'no-image'
      ? new ImageError('no-image', `${folder}: ${digest} is not there`, 'the image is not whole: copy it again')
      : error;
  return {
    place: folder,
    read: async (digest, _, most) => {
      try {
        return await smallFile(pathOf(digest), most);
      } catch (error) {
        throw missing(error, digest);
      }
    },
    async *open(digest) {
      let file;
      try {
        file = await openFile(pathOf(digest));
      } catch (error) {
        throw missing(error, digest);
      }
      try {
        yield* file.stream(0, file.size);
      } finally {
        await file.close();
      }
    },
  };
}

/** All of a file that is not longer than `most`. */
export async function smallFile(path: string, most: number): Promise<Uint8Array> {
  const file = await openFile(path);
  try {
    if (file.size > most) throw new ImageError('too-much', `${path}: it is longer than ${most} bytes`);
    return await file.read(0, file.size);
  } finally {
    await file.close();
  }
}

export async function isLayout(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'oci-layout')).catch(() => null))?.isFile() === true;
}
