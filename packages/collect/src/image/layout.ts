// OCI image layouts (image-spec, image-layout.md), wherever their files are: a folder, a tar, the content store of a node.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';
import { ImageError } from './errors.ts';
import { openFile } from './file-bytes.ts';
import type { JsonObject } from './json.ts';
import { numberOf, objectIn, objectOf, objectsOf, stringOf } from './json.ts';
import { printable } from './layer-collector.ts';
import { algorithmOf } from './layer-reader.ts';
import type { FoundImage } from './manifest.ts';
import { imageOf, verify } from './manifest.ts';

const mostIndex = 4 * 1024 ** 2;

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

/**
 * Finds an image in a layout.
 * @param index bytes of `index.json`
 * @param name tag or digest; null where the only one is meant
 * @throws ImageError where there is none of that name, or several and no name
 */
export async function imageOfLayout(
  store: BlobStore,
  index: Uint8Array,
  name: string | null,
  reference: string,
  platform: string | undefined,
): Promise<FoundImage> {
  const what = `${store.place}: index.json`;
  const value = objectOf(index, what);
  const manifests = objectsOf(value, 'manifests').filter(
    (each) => stringOf(objectIn(each, 'annotations'), 'vnd.docker.reference.type') === null,
  );
  const fit = name === null ? manifests : manifests.filter((each) => isNamed(each, name));
  const digests = new Set(fit.map((each) => stringOf(each, 'digest')));
  if (fit.length === 0)
    throw new ImageError(
      'no-image',
      name === null ? `${what}: it names no image` : `${what}: it names no image ${JSON.stringify(name)}`,
      namesOf(manifests) === '' ? null : `there is ${namesOf(manifests)}`,
    );
  const tags = new Set(fit.map(nameOf));
  if (digests.size > 1 && tags.size > 1)
    throw new ImageError(
      'no-image',
      `${what}: it names ${fit.length} images`,
      `say which: ${reference}:NAME with NAME of ${namesOf(fit)}`,
    );
  // One name may stand for several platforms: the entries are an index of their own.
  if (digests.size > 1) {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: fit }));
    return imageOf(store, { bytes, mediaType: null, digest: 'index.json' }, reference, platform);
  }
  const first = fit[0]!;
  const digest = stringOf(first, 'digest') ?? '';
  const bytes = await store.read(digest, 'manifest', mostIndex);
  verify(bytes, { digest, bytes: numberOf(first, 'size') }, `${store.place}: the manifest ${digest}`);
  return imageOf(store, { bytes, mediaType: stringOf(first, 'mediaType'), digest }, reference, platform);
}

function nameOf(manifest: JsonObject): string | null {
  const annotations = objectIn(manifest, 'annotations');
  return (
    stringOf(annotations, 'io.containerd.image.name') ?? stringOf(annotations, 'org.opencontainers.image.ref.name')
  );
}

function isNamed(manifest: JsonObject, name: string): boolean {
  if (stringOf(manifest, 'digest') === name) return true;
  const annotations = objectIn(manifest, 'annotations');
  return [
    stringOf(annotations, 'io.containerd.image.name'),
    stringOf(annotations, 'org.opencontainers.image.ref.name'),
  ].some((each) => each !== null && (each === name || each.endsWith(`/${name}`)));
}

function namesOf(manifests: readonly JsonObject[]): string {
  const names = [...new Set(manifests.map((each) => nameOf(each) ?? stringOf(each, 'digest') ?? ''))];
  return names
    .slice(0, 8)
    .map((each) => printable(each))
    .join(', ');
}
