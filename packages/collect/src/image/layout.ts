// OCI image layouts (image-spec, image-layout.md), wherever their files are: a folder, a tar, the content store of a node.
import type { BlobStore } from './blob-store.ts';
import { ImageError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { numberOf, objectIn, objectOf, objectsOf, stringOf } from './json.ts';
import { printable } from './layer-collector.ts';
import type { FoundImage } from './manifest.ts';
import { imageOf, verify } from './manifest.ts';

const mostIndex = 4 * 1024 ** 2;

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
    const bytes = new TextEncoder().encode(JSON.stringify({ schemaVersion: 2, manifests: fit }));
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
