// The folder form of skopeo (`dir:`): manifest.json, and each blob under its hexadecimal digest.
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { BlobStore } from './blob-store.ts';
import { openFile } from './file-bytes.ts';
import { algorithmOf } from './layer-reader.ts';
import { smallFile } from './layout-folder.ts';
import type { FoundImage } from './manifest.ts';
import { imageOf } from './manifest.ts';

const mostManifest = 4 * 1024 ** 2;

/** @throws ImageError */
export async function dirImage(folder: string, reference: string, platform: string | undefined): Promise<FoundImage> {
  const bytes = await smallFile(join(folder, 'manifest.json'), mostManifest);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const nameOf = (named: string): string => named.slice(algorithmOf(named).length + 1);
  const store: BlobStore = {
    place: folder,
    read: (named, kind, most) =>
      smallFile(join(folder, kind === 'manifest' ? `${nameOf(named)}.manifest.json` : nameOf(named)), most),
    async *open(named) {
      const file = await openFile(join(folder, nameOf(named)));
      try {
        yield* file.stream(0, file.size);
      } finally {
        await file.close();
      }
    },
  };
  return imageOf(store, { bytes, mediaType: null, digest }, reference, platform);
}
