// Which libcuda.so.1 the loader of a container finds, by glibc's order and ldconfig's: LD_PRELOAD, LD_LIBRARY_PATH, then
// the cache that the container start rebuilds (ld.so(8), ldconfig(8)).
import { compareDriver, parseDriver } from '../versions/driver.ts';
import { rebuildsCacheByHook, toolkitAtLeast } from '../compat/injection.ts';
import type { CudaCompatMode } from '../compat/injection.ts';
import type { ImageContents, LibcudaFile } from './contents.ts';
import type { CompatBy } from './model.ts';
import type { Start } from './predict-start.ts';
import type { ImageTree } from './tree.ts';

/** A libcuda that can be found: the host's, or a file of the image. */
export interface Candidate {
  readonly kind: 'host' | 'compat' | 'baked' | 'stub';
  /** Driver release of it; null where not known. */
  readonly version: string | null;
  readonly path: string | null;
  readonly file: LibcudaFile | null;
}

/** What was found, and by what. */
export interface Found extends Candidate {
  readonly by: CompatBy | 'ld.so.cache';
  /** Sources do not decide whether this is what is found; `rivals` are what it can be instead. */
  readonly unsure: string | null;
  readonly rivals?: readonly Candidate[];
}

/** What the start adds to the search. */
export interface Additions {
  /** Release of the host's libcuda; null where none is injected. */
  readonly host: string | null;
  /** A compat folder that the toolkit puts in front, and how. */
  readonly compat: {
    readonly folder: string;
    readonly by: 'mount' | 'ldconfig' | 'hook' | 'elf-note' | 'major';
  } | null;
  readonly cudaCompatMode: CudaCompatMode | undefined;
}

interface Folder {
  readonly path: string;
  /** File of ld.so.conf.d that names it; null: the start, or a default. */
  readonly file: string | null;
  readonly from: 'compat' | 'driver' | 'configured' | 'default';
}

/** The image as the loader sees it. */
export interface LoaderImage {
  readonly contents: ImageContents;
  readonly tree: ImageTree;
  readonly preload: string | undefined;
}

/** Follows LD_PRELOAD, LD_LIBRARY_PATH and the cache. Null: nothing is found. */
export function findLibcuda(image: LoaderImage, start: Start, additions: Additions): Found | null {
  return preloaded(image) ?? onLibraryPath(image, start, additions) ?? inCache(image, start, additions);
}

function preloaded({ contents, tree, preload }: LoaderImage): Found | null {
  for (const word of (preload ?? '').split(/[\s:]+/)) {
    if (!word.startsWith('/') || !word.slice(word.lastIndexOf('/') + 1).startsWith('libcuda.so')) continue;
    const file = libcudaAt(word, contents, tree);
    if (file !== null) return { ...candidateOf(file), by: 'LD_LIBRARY_PATH', unsure: null };
  }
  return null;
}

/** There a folder counts if it has the name `libcuda.so.1`; ldconfig makes that name only where it goes. */
function onLibraryPath(image: LoaderImage, start: Start, additions: Additions): Found | null {
  for (const folder of image.contents.search.libraryPath) {
    const real = image.tree.resolve(folder) ?? folder;
    if (sameFolder(real, start.folder, image) && additions.host !== null) {
      const found = inFolder(real, image, start, additions);
      if (found !== null) return { ...found, by: 'LD_LIBRARY_PATH' };
    }
    const file = libcudaAt(`${folder}/libcuda.so.1`, image.contents, image.tree);
    if (file !== null) return { ...candidateOf(file), by: 'LD_LIBRARY_PATH', unsure: null };
  }
  return null;
}

function inCache(image: LoaderImage, start: Start, additions: Additions): Found | null {
  const seen = new Set<string>();
  for (const folder of searchOrder(image, start, additions)) {
    const real = image.tree.resolve(folder.path) ?? folder.path;
    if (seen.has(real)) continue;
    seen.add(real);
    const found = inFolder(real, image, start, additions);
    if (found === null) continue;
    if (folder.from === 'compat' && additions.compat !== null) return { ...found, by: additions.compat.by };
    const mounted =
      additions.compat?.by === 'mount' && found.kind === 'compat' && sameFolder(real, start.folder, image);
    return { ...found, by: mounted ? 'mount' : folder.from === 'configured' ? 'ld.so.conf' : 'ld.so.cache' };
  }
  return null;
}

/** Folders in the order in which ldconfig goes through them; of a name that several have, the first one counts. */
function searchOrder(image: LoaderImage, start: Start, additions: Additions): readonly Folder[] {
  const { search } = image.contents;
  const configured = search.configured.map((each): Folder => ({
    path: each.folder,
    file: each.file,
    from: 'configured',
  }));
  const defaults = search.defaults.map((path): Folder => ({ path, file: null, from: 'default' }));
  const compat: readonly Folder[] =
    additions.compat === null || additions.compat.by === 'mount'
      ? []
      : [{ path: additions.compat.folder, file: null, from: 'compat' }];
  const driver: readonly Folder[] = start.folder === null ? [] : [{ path: start.folder, file: null, from: 'driver' }];
  if (start.mode === 'none') return [...configured, ...defaults];
  const byNames = rebuildsCacheByHook(start.toolkit, start.mode, additions.cudaCompatMode);
  if (!byNames) return [...compat, ...driver, ...configured, ...defaults];
  const list = insertedAt(configured, '00-compat-0', compat);
  if (start.mode === 'legacy') return [...list, ...driver, ...defaults];
  return [...insertedAt(list, driverConf(image, start), driver), ...driver, ...defaults];
}

/** Name under which the driver folder stands in ld.so.conf.d; that of folders known already does not count. */
function driverConf(image: LoaderImage, start: Start): string {
  const known = (path: string): boolean => sameFolder(image.tree.resolve(path) ?? path, start.folder, image);
  if (!toolkitAtLeast(start.toolkit, 1, 18, 1)) return '00-nvcr-0';
  return image.contents.search.defaults.some(known) ||
    image.contents.search.configured.some((each) => known(each.folder))
    ? 'zz-nvcr-0'
    : '00-nvcr-0';
}

/** Puts folders where a file of that name would stand in ld.so.conf.d. */
function insertedAt(list: readonly Folder[], name: string, more: readonly Folder[]): readonly Folder[] {
  const at = list.findIndex((each) => {
    const file = each.file ?? '';
    return file.startsWith('/etc/ld.so.conf.d/') && file.slice(file.lastIndexOf('/') + 1) > name;
  });
  const end = list.findLastIndex((each) => each.file?.startsWith('/etc/ld.so.conf.d/') === true) + 1;
  const place = at >= 0 ? at : end > 0 ? end : list.length;
  return [...list.slice(0, place), ...more, ...list.slice(place)];
}

/**
 * What ldconfig links in a folder: a regular file `libcuda.so.1` stays; else the highest release; empty files are passed
 * over.
 */
function inFolder(folder: string, image: LoaderImage, start: Start, additions: Additions): Found | null {
  const files = image.contents.libcuda.filter(
    (each) => each.kind !== 'ghost' && each.bytes > 0 && folderOf(each.path) === folder,
  );
  const regular = files.find((each) => each.unversioned);
  const injected = additions.host !== null && sameFolder(folder, start.folder, image);
  if (regular !== undefined) return { ...candidateOf(regular), by: 'ld.so.cache', unsure: null };
  const candidates: Candidate[] = files.map(candidateOf);
  if (injected)
    candidates.push({
      kind: 'host',
      version: additions.host,
      path: `${folder}/libcuda.so.${additions.host ?? ''}`,
      file: null,
    });
  if (injected && additions.compat?.by === 'mount') {
    const mounted = image.contents.libcuda.filter(
      (each) => folderOf(each.path) === additions.compat?.folder && each.bytes > 0,
    );
    candidates.push(...mounted.map((each) => ({ ...candidateOf(each), kind: 'compat' as const })));
  }
  if (candidates.length === 0) return null;
  let best = candidates[0]!;
  let unsure: string | null = null;
  const rivals: Candidate[] = [];
  for (const other of candidates.slice(1)) {
    const order = compareNames(other, best);
    if (order === null) {
      unsure = `which of ${folder}/libcuda.so.* is the newest`;
      rivals.push(other);
    }
    // The host's file is mounted over one of the same name.
    else if (order > 0 || (order === 0 && other.kind === 'host')) best = other;
  }
  return { ...best, by: 'ld.so.cache', unsure, ...(rivals.length === 0 ? {} : { rivals }) };
}

function compareNames(a: Candidate, b: Candidate): number | null {
  if (a.kind === 'stub' || b.kind === 'stub') return a.kind === b.kind ? 0 : a.kind === 'stub' ? -1 : 1;
  const [left, right] = [parseDriver(a.version ?? ''), parseDriver(b.version ?? '')];
  if (left === null || right === null) return null;
  if ((left.partial || right.partial) && left.branch === right.branch) return null;
  return compareDriver(left, right);
}

function candidateOf(file: LibcudaFile): Candidate {
  const kind = file.kind === 'ghost' ? 'baked' : file.kind;
  return { kind, version: file.version, path: file.path, file };
}

/** The libcuda of the image that a path leads to; null where none does, or an empty one. */
function libcudaAt(path: string, contents: ImageContents, tree: ImageTree): LibcudaFile | null {
  const file = tree.file(path);
  if (file === null) return null;
  const known = contents.libcuda.find((each) => each.path === file.path);
  return known === undefined || known.kind === 'ghost' || known.bytes === 0 ? null : known;
}

function sameFolder(real: string, folder: string | null, image: LoaderImage): boolean {
  return folder !== null && (real === folder || real === image.tree.resolve(folder));
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
