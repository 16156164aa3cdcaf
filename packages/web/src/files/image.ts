import type { FoundImage } from '@culprit/collect/anywhere/image';
import { archiveOf, imageOfArchive, LayerReader } from '@culprit/collect/anywhere/image';
import type { LayerScan, ScannedImage } from '@culprit/core/image/model';
import { openBlob } from './blob-bytes.ts';
import { browserTools } from './layer-tools.ts';

/** Text of all layers together; beyond, what was read of further layers has no texts. */
const mostText = 160 * 1024 ** 2;

/**
 * Reads a saved image (`docker save`, `podman save`, an OCI layout in a tar), as `culprit image` reads it: layer by
 * layer, every digest verified.
 * @throws ImageError where it is none, or damaged
 */
export async function scanImage(name: string, file: Blob, progress: (words: string) => void): Promise<ScannedImage> {
  let read = 0;
  let said = 0;
  const archive = await archiveOf(
    name,
    openBlob(file, (bytes) => {
      read += bytes;
      if (read - said < 16e6) return;
      said = read;
      progress(`reading ${name}: ${Math.round(read / 1e6)} MB`);
    }),
    browserTools.inflaterOf,
  );
  const image = await imageOfArchive(archive, null, null, name, undefined);
  const { reference, digest, platform, config } = image;
  const left = [...image.left];
  const layers = boundedTexts(await scansOf(image), left);
  return { reference, digest, platform, config, layers, quick: false, left };
}

async function scansOf(image: FoundImage): Promise<readonly LayerScan[]> {
  const { layers } = image;
  const done = new Map<string, LayerScan>();
  const keyOf = (at: number): string => layers[at]!.digest ?? layers[at]!.diffId ?? `layer ${at}`;
  const placeOf = (at: number): string => {
    const name = layers[at]!.digest ?? layers[at]!.diffId;
    return `${image.reference}: layer ${at + 1} of ${layers.length}${name === null ? '' : ` (${name})`}`;
  };
  const readerOf = (at: number): LayerReader => {
    const { digest, diffId, bytes } = layers[at]!;
    const want = { place: placeOf(at), digest, diffId, bytes, deep: false, until: Infinity };
    return new LayerReader(want, browserTools);
  };
  if (image.inOrder === undefined) {
    for (const [at, layer] of layers.entries()) {
      if (done.has(keyOf(at))) continue;
      if (layer.unread !== null) {
        done.set(keyOf(at), unreadScan(layer.digest, layer.bytes, `${placeOf(at)}: not read: ${layer.unread}`));
        continue;
      }
      const reader = readerOf(at);
      for await (const chunk of layer.open()) await reader.push(chunk);
      done.set(keyOf(at), await reader.end());
    }
  } else
    await image.inOrder((at) => {
      if (done.has(keyOf(at))) return null;
      const reader = readerOf(at);
      return {
        push: (chunk) => reader.push(chunk),
        end: async () => {
          done.set(keyOf(at), await reader.end());
        },
      };
    });
  return layers.map(
    (layer, at) => done.get(keyOf(at)) ?? unreadScan(layer.digest, layer.bytes, `${placeOf(at)}: not in the archive`),
  );
}

function unreadScan(digest: string | null, bytes: number | null, why: string): LayerScan {
  return {
    digest,
    diffId: null,
    bytes: bytes ?? 0,
    unpackedBytes: 0,
    entries: [],
    whiteouts: [],
    opaque: [],
    left: [why],
  };
}

function boundedTexts(scans: readonly LayerScan[], left: string[]): readonly LayerScan[] {
  let held = 0;
  return scans.map((scan) => {
    const bytes = scan.entries.reduce((sum, entry) => sum + (entry.text?.length ?? 0), 0);
    if (bytes === 0 || held + bytes <= mostText) {
      held += bytes;
      return scan;
    }
    left.push(`the texts of layer ${scan.digest ?? scan.diffId ?? ''} are left out: all together they are too long`);
    return { ...scan, entries: scan.entries.map(({ text: _text, ...rest }) => rest) };
  });
}
