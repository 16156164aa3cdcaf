// From a manifest or index to the configuration and the list of layers (OCI image-spec, docker manifest schema 2).
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ImageConfig } from '@culprit/core/image/model';
import type { Sink } from './archive.ts';
import type { BlobStore } from './blob-store.ts';
import { ImageError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { isObject, numberOf, objectIn, objectOf, objectsOf, recordOf, stringOf, stringsOf } from './json.ts';
import { printable } from './layer-collector.ts';
import { algorithmOf } from './layer-reader.ts';
import type { Platform } from './platform.ts';
import { ownPlatform, parsePlatform, platformOf, platformText, suits } from './platform.ts';

const mostManifest = 4 * 1024 ** 2;
const mostConfig = 16 * 1024 ** 2;
const mostLayers = 2000;
const mostManifests = 5000;
const deepestIndex = 4;

/** One layer of an image that was found, not yet read. */
export interface FoundLayer {
  /** Digest of the stored bytes; null where the source has none. */
  readonly digest: string | null;
  /** Digest of the tar, as the configuration says. */
  readonly diffId: string | null;
  readonly bytes: number | null;
  readonly annotations: Readonly<Record<string, string>>;
  /** Why it is not read; null where it is. */
  readonly unread: string | null;
  /** The stored bytes in order. */
  open(): AsyncIterable<Uint8Array>;
  /** Bytes from a place on; null where only the whole can be had. Absent where that saves nothing. */
  range?(offset: number, length: number): Promise<Uint8Array | null>;
}

/** An image of which the configuration and the list of layers are known. */
export interface FoundImage {
  readonly reference: string;
  readonly digest: string | null;
  readonly platform: string;
  readonly config: ImageConfig | null;
  readonly layers: readonly FoundLayer[];
  readonly left: readonly string[];
  /** Gives the layers one after the other as they lie in a stream that cannot be read at any place; else absent. */
  readonly inOrder?: (sinkOf: (layer: number) => Sink | null) => Promise<void>;
  close?(): void;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: number | null;
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Goes from an index to the manifest of the platform, to its configuration and layers. Every part is verified.
 * @param start bytes whose digest was verified
 * @throws ImageError
 */
export async function imageOf(
  store: BlobStore,
  start: { readonly bytes: Uint8Array; readonly mediaType: string | null; readonly digest: string },
  reference: string,
  asked: string | undefined,
): Promise<FoundImage> {
  let { bytes, mediaType, digest } = start;
  const wanted = asked === undefined ? null : parsePlatform(asked);
  const seen = new Set<string>();
  for (let depth = 0; ; depth++) {
    const what = `${store.place}: the manifest ${digest}`;
    if (seen.has(digest) || depth > deepestIndex)
      throw new ImageError('damaged', `${what}: indexes name one another more than ${deepestIndex} deep`);
    seen.add(digest);
    const value = objectOf(bytes, what);
    const type = stringOf(value, 'mediaType') ?? mediaType ?? '';
    if (value['schemaVersion'] === 1 || type.includes('.manifest.v1+prettyjws'))
      throw new ImageError(
        'no-image',
        `${what}: it has the form of 2015 (schema 1), which is not read`,
        'push it again',
      );
    if (!Array.isArray(value['manifests'])) return fromManifest(store, value, digest, reference, wanted);
    const chosen = choose(value, wanted, what);
    bytes = await store.read(chosen.digest, 'manifest', mostManifest);
    verify(bytes, chosen, `${store.place}: the manifest ${chosen.digest}`);
    ({ digest, mediaType } = chosen);
  }
}

/**
 * Checks content against the digest and size that name it.
 * @throws ImageError where it is another
 */
export function verify(
  bytes: Uint8Array,
  named: { readonly digest: string; readonly bytes: number | null },
  what: string,
): void {
  const algorithm = algorithmOf(named.digest);
  const found = `${algorithm}:${bytesToHex((algorithm === 'sha256' ? sha256 : sha512)(bytes))}`;
  const hint = 'the copy is damaged or was changed: pull or save the image again';
  if (found !== named.digest) throw new ImageError('damaged', `${what}: its content has the digest ${found}`, hint);
  if (named.bytes !== null && named.bytes !== bytes.length)
    throw new ImageError('damaged', `${what}: it has ${bytes.length} bytes, not ${named.bytes}`, hint);
}

function descriptorOf(value: JsonObject, what: string): Descriptor {
  const digest = stringOf(value, 'digest');
  if (digest === null) throw new ImageError('damaged', `${what}: a part has no digest`);
  algorithmOf(digest);
  return {
    mediaType: stringOf(value, 'mediaType') ?? '',
    digest,
    bytes: numberOf(value, 'size'),
    annotations: recordOf(objectIn(value, 'annotations')),
  };
}

/** The manifest of an index that suits; attestations and what is for no platform are passed over. */
function choose(index: JsonObject, wanted: Platform | null, what: string): Descriptor {
  const all = objectsOf(index, 'manifests');
  if (all.length > mostManifests) throw new ImageError('too-much', `${what}: it lists ${all.length} manifests`);
  const offered = all.flatMap((each) => {
    const platform = objectIn(each, 'platform');
    const os = stringOf(platform, 'os');
    const architecture = stringOf(platform, 'architecture');
    if (os === 'unknown' || architecture === 'unknown') return [];
    if (stringOf(objectIn(each, 'annotations'), 'vnd.docker.reference.type') !== null) return [];
    const has =
      os === null || architecture === null ? null : platformOf(os, architecture, stringOf(platform, 'variant'));
    return [{ each, has }];
  });
  const asked = wanted ?? ownPlatform();
  const exact = offered.find(({ has }) => has !== null && suits(has, asked) && has.variant === asked.variant);
  const fit = exact ?? offered.find(({ has }) => has !== null && suits(has, asked));
  // The only one is taken, whatever it is for; so is one that does not say. Its configuration decides.
  const only = offered.length === 1 && (wanted === null || offered[0]!.has === null) ? offered[0] : undefined;
  const silent = offered.find(({ has }) => has === null);
  const chosen = fit ?? only ?? silent;
  if (chosen === undefined) {
    const others = [...new Set(offered.map(({ has }) => printable(platformText(has!))))].join(', ');
    throw new ImageError(
      'no-platform',
      `${what}: there is no image for ${platformText(asked)}`,
      others === '' ? null : `it is there for ${others}: --platform`,
    );
  }
  return descriptorOf(chosen.each, what);
}

async function fromManifest(
  store: BlobStore,
  manifest: JsonObject,
  digest: string,
  reference: string,
  wanted: Platform | null,
): Promise<FoundImage> {
  const what = `${store.place}: the manifest ${digest}`;
  if (!isObject(manifest['config']) || !Array.isArray(manifest['layers']))
    throw new ImageError('no-image', `${what}: it is no manifest of a container image`);
  const named = descriptorOf(manifest['config'], what);
  const plain = named.mediaType === '' || /\.image(?:\.config)?\.v1\+json$/.test(named.mediaType);
  if (!plain) throw new ImageError('no-image', `${what}: it is no container image but ${printable(named.mediaType)}`);
  const bytes = await store.read(named.digest, 'blob', mostConfig);
  verify(bytes, named, `${store.place}: the configuration ${named.digest}`);
  const value = objectOf(bytes, `${store.place}: the configuration ${named.digest}`);
  const listed = objectsOf(manifest, 'layers');
  if (listed.length > mostLayers) throw new ImageError('too-much', `${what}: it has ${listed.length} layers`);
  const diffIds = diffIdsOf(value, listed.length, `${store.place}: the configuration ${named.digest}`);
  const layers = listed.map((each, at): FoundLayer => {
    const layer = descriptorOf(each, what);
    return {
      digest: layer.digest,
      diffId: diffIds[at] ?? null,
      bytes: layer.bytes,
      annotations: layer.annotations,
      unread: whyNot(layer.mediaType),
      open: () => store.open(layer.digest),
      ...(store.range === undefined ? {} : { range: (from, length) => store.range!(layer.digest, from, length) }),
    };
  });
  const config = configOf(value);
  const platform = platformOfConfig(config);
  return {
    reference,
    digest,
    platform,
    config,
    layers,
    left: otherPlatform(platform, wanted),
    close: () => store.close?.(),
  };
}

/** An image for one platform only is read whatever was asked for; it is said. */
export function otherPlatform(platform: string, wanted: Platform | null): readonly string[] {
  return wanted === null || suits(parsePlatform(platform), wanted)
    ? []
    : [`the image is for ${platform}; there is none for ${platformText(wanted)}`];
}

function whyNot(mediaType: string): string | null {
  if (mediaType.includes('+encrypted')) return 'it is encrypted';
  if (mediaType === '' || mediaType.includes('.tar') || mediaType.includes('rootfs.diff')) return null;
  return `it is no layer of files but ${printable(mediaType)}`;
}

/**
 * Digests of the unpacked layers.
 * @throws ImageError where there are more or fewer than layers
 */
export function diffIdsOf(config: JsonObject, layers: number, what: string): readonly string[] {
  const ids = stringsOf(objectIn(config, 'rootfs'), 'diff_ids');
  if (ids.length === 0) return [];
  if (ids.length !== layers)
    throw new ImageError('damaged', `${what}: it names ${ids.length} layers, the manifest ${layers}`);
  for (const id of ids) algorithmOf(id);
  return ids;
}

/** The parts of a configuration that are used; what has another form than it should is left out. */
export function configOf(value: JsonObject): ImageConfig {
  const inner = objectIn(value, 'config');
  const command = (key: string): readonly string[] => {
    const text = stringOf(inner, key);
    return text === null ? stringsOf(inner, key) : [text];
  };
  return {
    os: stringOf(value, 'os'),
    architecture: stringOf(value, 'architecture'),
    variant: stringOf(value, 'variant'),
    created: stringOf(value, 'created'),
    env: stringsOf(inner, 'Env').map((line) => {
      const equals = line.indexOf('=');
      return equals < 0 ? { name: line, value: '' } : { name: line.slice(0, equals), value: line.slice(equals + 1) };
    }),
    entrypoint: command('Entrypoint'),
    cmd: command('Cmd'),
    user: stringOf(inner, 'User'),
    labels: recordOf(objectIn(inner, 'Labels')),
    history: objectsOf(value, 'history').map((each) => ({
      createdBy: stringOf(each, 'created_by') ?? stringOf(each, 'comment') ?? '',
      empty: each['empty_layer'] === true,
    })),
  };
}

export function platformOfConfig(config: ImageConfig): string {
  const safe = (text: string | null): string => (text !== null && /^[\w.-]{1,40}$/.test(text) ? text : 'unknown');
  const variant = config.variant === null || config.variant === '' ? null : safe(config.variant);
  return platformText(platformOf(safe(config.os), safe(config.architecture), variant));
}
