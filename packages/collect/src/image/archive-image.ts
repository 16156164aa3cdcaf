// Images in tar archives: of `docker save` and `podman save` (docker-archive), and OCI layouts in a tar (oci-archive).
import type { Archive, Sink } from './archive.ts';
import type { BlobStore } from './blob-store.ts';
import { ImageError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { isObject, objectOf, stringOf, stringsOf } from './json.ts';
import { printable } from './layer-collector.ts';
import { algorithmOf } from './layer-reader.ts';
import { imageOfLayout } from './layout.ts';
import type { FoundImage, FoundLayer } from './manifest.ts';
import { configOf, diffIdsOf, otherPlatform, platformOfConfig, verify } from './manifest.ts';
import { parsePlatform } from './platform.ts';

const mostIndex = 4 * 1024 ** 2;
const mostConfig = 16 * 1024 ** 2;
const mostLayers = 2000;

/**
 * Finds the image in an archive. What `docker save` writes since Docker 25 is both forms in one: the OCI one is read, as
 * its parts carry digests, and the older one where that leads nowhere.
 * @param form which form is meant, where it was said
 * @param name tag or digest; null where the only one is meant
 * @throws ImageError
 */
export async function imageOfArchive(
  archive: Archive,
  form: 'docker' | 'oci' | null,
  name: string | null,
  reference: string,
  platform: string | undefined,
): Promise<FoundImage> {
  const oci = archive.sizeOf('index.json') !== null && archive.sizeOf('oci-layout') !== null;
  const docker = archive.sizeOf('manifest.json') !== null;
  if (form !== 'docker' && oci)
    try {
      return await ofOci(archive, name, reference, platform);
    } catch (error) {
      // Docker 25.0 leaves the layers out of its OCI manifest, or names those that it once pulled; later ones list
      // platforms that they do not have.
      const other = error instanceof ImageError && error.code !== 'no-platform' && form === null && docker;
      if (!other) throw error;
      return await ofDocker(archive, name, reference, platform).catch((second: unknown) => {
        throw error.code === 'no-image' ? second : error;
      });
    }
  if (form !== 'oci' && docker) return ofDocker(archive, name, reference, platform);
  throw new ImageError(
    'no-image',
    `${archive.place}: it is no saved image (neither ${form === 'docker' ? '' : 'index.json nor '}manifest.json in it)`,
    archive.sizeOf('repositories') === null
      ? 'docker export writes a root file system: unpack it, and name the folder'
      : 'it was saved by a Docker before 1.10: load and save it again',
  );
}

async function ofOci(
  archive: Archive,
  name: string | null,
  reference: string,
  platform: string | undefined,
): Promise<FoundImage> {
  const pathOf = (digest: string): string => {
    const algorithm = algorithmOf(digest);
    return `blobs/${algorithm}/${digest.slice(algorithm.length + 1)}`;
  };
  const store: BlobStore = {
    place: archive.place,
    read: (digest, _, most) => archive.small(pathOf(digest), most),
    open: (digest) => archive.stream!(pathOf(digest)),
  };
  const index = await archive.small('index.json', mostIndex);
  const image = await imageOfLayout(store, index, name, reference, platform);
  for (const { digest } of image.layers)
    if (archive.sizeOf(pathOf(digest!)) === null)
      throw new ImageError(
        'no-image',
        `${archive.place}: the layer ${digest!} is not in the archive`,
        'the archive is damaged or cut: save the image again',
      );
  return inArchive(
    archive,
    image,
    image.layers.map(({ digest }) => pathOf(digest!)),
  );
}

/** Where the archive is compressed, its layers come in its own order. */
function inArchive(archive: Archive, image: FoundImage, names: readonly string[]): FoundImage {
  const close = (): void => void archive.close();
  if (archive.inOrder === undefined) return { ...image, close };
  return {
    ...image,
    close,
    inOrder: async (sinkOf) => {
      const wanted = new Map<string, number>();
      names.forEach((name, at) => {
        const place = archive.placeOf(name);
        if (place === null)
          throw new ImageError('no-image', `${archive.place}: there is no ${printable(name)} in the archive`);
        if (!wanted.has(place)) wanted.set(place, at);
      });
      await archive.inOrder!((name): Sink | null => {
        const layer = wanted.get(name);
        wanted.delete(name);
        return layer === undefined ? null : sinkOf(layer);
      });
    },
  };
}

async function ofDocker(
  archive: Archive,
  name: string | null,
  reference: string,
  platform: string | undefined,
): Promise<FoundImage> {
  const what = `${archive.place}: manifest.json`;
  const image = chooseImage(await archive.small('manifest.json', mostIndex), name, reference, what);
  const configName = stringOf(image, 'Config') ?? '';
  const bytes = await archive.small(configName, mostConfig);
  const hex = /(?:^|\/)([0-9a-f]{64})(?:\.json)?$/.exec(configName)?.[1];
  if (hex !== undefined)
    verify(bytes, { digest: `sha256:${hex}`, bytes: null }, `${archive.place}: the configuration ${configName}`);
  const value = objectOf(bytes, `${archive.place}: the configuration ${printable(configName)}`);
  const names = stringsOf(image, 'Layers');
  if (names.length > mostLayers) throw new ImageError('too-much', `${what}: it has ${names.length} layers`);
  const diffIds = diffIdsOf(value, names.length, `${archive.place}: the configuration ${printable(configName)}`);
  const layers = names.map((each, at): FoundLayer => {
    const bytesOf = archive.sizeOf(each);
    if (bytesOf === null)
      throw new ImageError(
        'no-image',
        `${archive.place}: the layer ${at + 1} of ${names.length} (${printable(each)}) is not in the archive`,
        'the archive is damaged or cut: save the image again',
      );
    const stored = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(each)?.[1];
    return {
      digest: stored === undefined ? null : `sha256:${stored}`,
      diffId: diffIds[at] ?? null,
      bytes: bytesOf,
      annotations: {},
      unread: null,
      open: () => archive.stream!(each),
    };
  });
  const config = configOf(value);
  const own = platformOfConfig(config);
  return inArchive(
    archive,
    {
      reference,
      digest: hex === undefined ? null : `sha256:${hex}`,
      platform: own,
      config,
      layers,
      left: [
        ...otherPlatform(own, platform === undefined ? null : parsePlatform(platform)),
        ...(diffIds.length === 0 && names.length > 0
          ? [`${archive.place}: the configuration names no layers; their content could not be verified`]
          : []),
      ],
    },
    names,
  );
}

function chooseImage(bytes: Uint8Array, name: string | null, reference: string, what: string): JsonObject {
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  } catch {
    throw new ImageError('damaged', `${what}: it is no JSON`);
  }
  const images = Array.isArray(list) ? list.filter(isObject) : [];
  const tags = images.flatMap((each) => stringsOf(each, 'RepoTags'));
  const fit =
    name === null
      ? images
      : images.filter(
          (each) =>
            stringsOf(each, 'RepoTags').some((tag) => isTag(tag, name)) ||
            (stringOf(each, 'Config') ?? '').includes(name.replace(/^sha256:/, '')),
        );
  if (fit.length === 1) return fit[0]!;
  const there = tags
    .slice(0, 8)
    .map((tag) => printable(tag))
    .join(', ');
  if (fit.length === 0)
    throw new ImageError(
      'no-image',
      name === null ? `${what}: it names no image` : `${what}: it names no image ${JSON.stringify(name)}`,
      there === '' ? null : `there is ${there}`,
    );
  throw new ImageError(
    'no-image',
    `${what}: it names ${fit.length} images`,
    `say which: docker-archive:${reference}:NAME with NAME of ${there}`,
  );
}

/** `ubuntu:22.04` and `docker.io/library/ubuntu:22.04` are the same; without a tag, `latest`. */
function isTag(tag: string, name: string): boolean {
  const usual = (each: string): string => {
    const full = each.lastIndexOf(':') > each.lastIndexOf('/') ? each : `${each}:latest`;
    return full.replace(/^(?:docker\.io\/)?(?:library\/)?/, '');
  };
  return usual(tag) === usual(name);
}
