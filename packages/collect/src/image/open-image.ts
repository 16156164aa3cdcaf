import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ScannedImage } from '@culprit/core/image/model';
import { archiveOf } from './archive.ts';
import { imageOfArchive } from './archive-image.ts';
import { imageOfContainerd } from './containerd.ts';
import { ImageError } from './errors.ts';
import { fileError, openFile } from './file-bytes.ts';
import { nodeTools } from './inflate.ts';
import { imageOfLayout } from './layout.ts';
import { folderStore, isLayout, smallFile } from './layout-folder.ts';
import type { FoundImage } from './manifest.ts';
import { imageOf } from './manifest.ts';
import type { ImageOptions } from './options.ts';
import { parsePlatform } from './platform.ts';
import { parseReference } from './reference.ts';
import { rootOfProcess, scanRootfs } from './rootfs.ts';
import { scanLayers } from './scan.ts';
import { dirImage } from './skopeo-folder.ts';

const mostIndex = 4 * 1024 ** 2;

/**
 * Reads an image, wherever it is: a registry reference, an OCI layout (folder or tar), an archive of docker or podman, a
 * folder with a root file system, the store of containerd, the root of a process. Nothing of it is run or written to disk.
 * @param reference as a person writes it: `nvcr.io/nvidia/pytorch:24.05-py3`, `./image.tar`, `oci:folder:tag`, `/mnt/root`;
 *   the prefixes of skopeo (`docker://`, `oci:`, `oci-archive:`, `docker-archive:`, `dir:`) and `rootfs:` say what is meant
 * @throws ImageError where it cannot be read, or is not what its digests say
 */
export async function openImage(reference: string, options: ImageOptions = {}): Promise<ScannedImage> {
  if (options.platform !== undefined) parsePlatform(options.platform);
  if (options.pid !== undefined) return scanRootfs(await rootOfProcess(options.pid), reference, options);
  if (options.containerd !== undefined)
    return scanned(await imageOfContainerd(options.containerd, reference, options), options);
  const named = /^(oci|oci-archive|docker-archive|dir|rootfs):(?!\/\/)(.{1,4096})$/s.exec(reference);
  if (named !== null) return ofTransport(named[1] as Transport, named[2]!, reference, options);
  const local = await placeOf(reference);
  if (local === null) return ofRegistry(reference, options);
  if (local === 'file') return ofArchive(reference, null, null, reference, options);
  if (await isLayout(reference)) return ofLayout(reference, null, reference, options);
  if (await isFile(join(reference, 'manifest.json')))
    return scanned(await dirImage(reference, reference, options.platform), options);
  return scanRootfs(reference, reference, { ...options, ...pidOf(reference) });
}

type Transport = 'oci' | 'oci-archive' | 'docker-archive' | 'dir' | 'rootfs';

async function ofTransport(
  transport: Transport,
  rest: string,
  reference: string,
  options: ImageOptions,
): Promise<ScannedImage> {
  if (transport === 'rootfs') return scanRootfs(rest, reference, { ...options, ...pidOf(rest) });
  if (transport === 'dir') return scanned(await dirImage(rest, reference, options.platform), options);
  const { path, name } = await splitName(rest);
  if (transport === 'oci') return ofLayout(path, name, reference, options);
  return ofArchive(path, transport === 'oci-archive' ? 'oci' : 'docker', name, reference, options);
}

/** `PATH:NAME` where PATH is the longest that is there; names hold colons too. */
async function splitName(text: string): Promise<{ readonly path: string; readonly name: string | null }> {
  if ((await stat(text).catch(() => null)) !== null) return { path: text, name: null };
  for (let colon = text.length; (colon = text.lastIndexOf(':', colon - 1)) > 0;) {
    const path = text.slice(0, colon);
    if ((await stat(path).catch(() => null)) !== null) return { path, name: text.slice(colon + 1) };
  }
  throw new ImageError('no-image', `${text}: there is no such file or folder`);
}

async function ofRegistry(reference: string, options: ImageOptions): Promise<ScannedImage> {
  const parsed = parseReference(reference);
  const { Registry } = await import('./registry.ts');
  const registry = new Registry(parsed, options);
  try {
    const start = await registry.manifest(parsed.digest ?? parsed.tag!);
    return await scanned(await imageOf(registry, start, reference, options.platform), options);
  } catch (error) {
    throw await withLayoutHint(error, reference);
  } finally {
    registry.close();
  }
}

/** `FOLDER:TAG` names an image of a registry, also where a layout of that name lies here: the error says how it is meant. */
async function withLayoutHint(error: unknown, reference: string): Promise<unknown> {
  const colon = reference.lastIndexOf(':');
  if (!(error instanceof ImageError) || colon < 1 || !(await isLayout(reference.slice(0, colon)))) return error;
  return new ImageError(
    error.code,
    error.message,
    `the layout in the folder ${reference.slice(0, colon)} is oci:${reference}`,
  );
}

async function ofLayout(
  folder: string,
  name: string | null,
  reference: string,
  options: ImageOptions,
): Promise<ScannedImage> {
  const index = await smallFile(join(folder, 'index.json'), mostIndex);
  return scanned(await imageOfLayout(folderStore(folder), index, name, reference, options.platform), options);
}

async function ofArchive(
  path: string,
  form: 'docker' | 'oci' | null,
  name: string | null,
  reference: string,
  options: ImageOptions,
): Promise<ScannedImage> {
  const archive = await archiveOf(path, await openFile(path), nodeTools.inflaterOf);
  try {
    return await scanned(await imageOfArchive(archive, form, name, reference, options.platform), options);
  } finally {
    await archive.close();
  }
}

function scanned(image: FoundImage, options: ImageOptions): Promise<ScannedImage> {
  return scanLayers(image, options);
}

/**
 * What lies at a path; null where it is to be read as a reference.
 * @throws ImageError where only a path can be meant and nothing is there
 */
async function placeOf(text: string): Promise<'file' | 'folder' | null> {
  const isPath = /^(?:\.{0,2}\/|\.{1,2}$|~)/.test(text) || /\.(?:tar|tgz|tar\.gz|tar\.zst)$/.test(text);
  try {
    return (await stat(text)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (isPath) throw fileError(error, text);
    return null;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}

/** The root of a process brings the variables that it was started with. */
function pidOf(path: string): { readonly pid?: number } {
  const pid = /^\/proc\/(\d{1,10})\/root$/.exec(resolve(path))?.[1];
  return pid === undefined ? {} : { pid: Number(pid) };
}
