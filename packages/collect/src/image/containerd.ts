// Images on a node of containerd: the content store by digest, names by its database (containerd docs/ops.md,
// docs/content-flow.md; metadata/buckets.go).
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Bolt, BoltError } from './bolt.ts';
import { ImageError } from './errors.ts';
import { openFile } from './file-bytes.ts';
import { folderStore } from './layout-folder.ts';
import { printable } from './layer-collector.ts';
import type { FoundImage } from './manifest.ts';
import { imageOf, verify } from './manifest.ts';
import type { ImageOptions } from './options.ts';
import { parseReference } from './reference.ts';

const content = 'io.containerd.content.v1.content';
const database = 'io.containerd.metadata.v1.bolt/meta.db';
const mostManifest = 4 * 1024 ** 2;

/**
 * Finds an image in the store of containerd.
 * @param root its folder, `/var/lib/containerd`
 * @throws ImageError where it has no such image, or no longer all of its content
 */
export async function imageOfContainerd(root: string, reference: string, options: ImageOptions): Promise<FoundImage> {
  const folder = join(root, content);
  try {
    await readdir(join(folder, 'blobs'));
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'EACCES' ? 'it may not be read; as root?' : 'there is none';
    throw new ImageError('no-image', `${root}: no content store of containerd: ${why}`, 'usually /var/lib/containerd');
  }
  const store = folderStore(folder);
  const digest = await digestOf(root, reference, options);
  const bytes = await store.read(digest, 'manifest', mostManifest);
  verify(bytes, { digest, bytes: null }, `${folder}: the manifest ${digest}`);
  const image = await imageOf(store, { bytes, mediaType: null, digest }, reference, options.platform);
  if (options.quick === true) return image;
  // `discard_unpacked_layers` throws layers away that were unpacked.
  for (const [at, layer] of image.layers.entries()) {
    const [algorithm, hex] = layer.digest!.split(':');
    const file = await openFile(join(folder, 'blobs', algorithm!, hex!)).catch(() => null);
    if (file === null)
      throw new ImageError(
        'no-image',
        `${folder}: layer ${at + 1} of ${image.layers.length} (${layer.digest!}) is not kept on this node`,
        'containerd threw it away after unpacking: name the image in its registry, or the process of a container (--pid)',
      );
    await file.close();
  }
  return image;
}

async function digestOf(root: string, reference: string, options: ImageOptions): Promise<string> {
  const plain = /^sha256:[0-9a-f]{64}$/.test(reference) ? reference : null;
  if (plain !== null) return plain;
  const parsed = parseReference(reference);
  if (parsed.digest !== null) return parsed.digest;
  const path = join(root, database);
  const file = await openFile(path);
  try {
    const bolt = await Bolt.open(file);
    const spaces = (await bolt.list(['v1'])).filter(({ bucket }) => bucket).map(({ key }) => key);
    const asked =
      options.namespace === undefined ? spaces.toSorted((a, b) => orderOf(a) - orderOf(b)) : [options.namespace];
    const known: string[] = [];
    for (const space of asked) {
      for (const name of [parsed.text, reference]) {
        const found = await bolt.value(['v1', space, 'images', name, 'target', 'digest']);
        if (found !== null) return found.toString('utf8');
      }
      if (known.length < 8) known.push(...(await bolt.list(['v1', space, 'images'])).map(({ key }) => key));
    }
    const names = known
      .filter((name) => !name.startsWith('sha256:'))
      .slice(0, 8)
      .map((name) => printable(name));
    throw new ImageError(
      'no-image',
      `${root}: there is no image ${parsed.text}`,
      names.length === 0 ? null : `there is ${names.join(', ')}`,
    );
  } catch (error) {
    if (error instanceof BoltError)
      throw new ImageError('damaged', `${path}: ${error.message}`, 'name the image by its digest: sha256:…');
    throw error;
  } finally {
    await file.close();
  }
}

function orderOf(space: string): number {
  const order = ['k8s.io', 'default', 'moby'].indexOf(space);
  return order < 0 ? 9 : order;
}
