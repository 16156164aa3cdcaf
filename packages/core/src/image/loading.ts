// The loader of an image: what a name gives to a process in a container of it, before the driver is put in.
import type { Asker, Loaded, LoaderFile, LoaderView } from '../loader/resolve.ts';
import type { Search } from './contents.ts';
import type { ImageTree, TreeFile, TreeLink } from './tree.ts';
import { normalPath, resolve } from '../loader/resolve.ts';
import { folderOf, nameOf } from './paths.ts';

export interface ImageLoader {
  readonly view: LoaderView;
  /**
   * @param asker the library that asks, null for a plain dlopen
   * @param rpath its RPATH with that of those who loaded it; left out: its own
   */
  take(soname: string, asker: TreeFile | null, rpath?: readonly string[]): Loaded;
  /** Tags of a library with $ORIGIN filled in, links of folders followed. */
  tagsOf(file: TreeFile): { readonly rpath: readonly string[]; readonly runpath: readonly string[] };
}

/**
 * Builds the view that `loader/resolve.ts` asks. Without a cache that was read, what ldconfig would write stands in for
 * it: folders of the configuration, then the default ones, empty files passed over.
 */
export function loaderOf(
  tree: ImageTree,
  files: readonly TreeFile[],
  links: readonly TreeLink[],
  search: Search,
  preload: readonly string[],
): ImageLoader {
  const real = (folder: string): string => tree.resolve(folder) ?? normalPath(folder);
  const view = new Map<string, LoaderFile>();
  const folders = new Map<string, string[]>();
  const note = (path: string): void => {
    const list = folders.get(folderOf(path));
    if (list === undefined) folders.set(folderOf(path), [path]);
    else list.push(path);
  };
  for (const file of files)
    if (isLibrary(file.path)) {
      // Libraries of other machines (32 bit, cross toolkits) are passed over by the loader.
      if (file.binary?.machine === 'i386') continue;
      view.set(file.path, { path: file.path, target: null, bytes: file.bytes });
      note(file.path);
    }
  for (const link of links) {
    const target = isLibrary(link.path) ? tree.file(link.path) : null;
    if (target === null) continue;
    view.set(link.path, { path: link.path, target: target.path, bytes: null });
    note(link.path);
  }
  const cache = search.cache ?? (search.musl ? [] : written(tree, search, folders, real));
  const loader: LoaderView = {
    files: view,
    listed: new Set(folders.keys()),
    preload: preload.map(real),
    libraryPath: search.libraryPath.map(real),
    cache: cache.map((each) => ({ soname: each.soname, path: `${real(folderOf(each.path))}/${nameOf(each.path)}` })),
    defaults: search.defaults.map(real),
  };
  const tagsOf = (file: TreeFile): { rpath: readonly string[]; runpath: readonly string[] } => {
    const filled = (tags: readonly string[]): readonly string[] =>
      tags
        .flatMap((tag) => tag.split(':'))
        .slice(0, 200)
        .map((tag) => tag.replaceAll('${ORIGIN}', '$ORIGIN').replaceAll('$ORIGIN', folderOf(file.path)))
        .filter((tag) => tag.startsWith('/'))
        .map(real);
    return { rpath: filled(file.binary?.rpath ?? []), runpath: filled(file.binary?.runpath ?? []) };
  };
  return {
    view: loader,
    tagsOf,
    take(soname, file, rpath) {
      const tags = file === null ? null : tagsOf(file);
      const asker: Asker | null =
        file === null || tags === null ? null : { name: file.path, ...tags, rpath: rpath ?? tags.rpath };
      return resolve(soname, loader, asker);
    },
  };
}

export function isLibrary(path: string): boolean {
  const name = nameOf(path);
  const at = name.indexOf('.so');
  return at > 0 && (at + 3 === name.length || name[at + 3] === '.');
}

/** The cache as ldconfig would write it: the first folder in order wins, in a folder the highest version. */
function written(
  tree: ImageTree,
  search: Search,
  folders: ReadonlyMap<string, readonly string[]>,
  real: (folder: string) => string,
): readonly { readonly soname: string; readonly path: string }[] {
  const cache: { soname: string; path: string }[] = [];
  const done = new Set<string>();
  for (const folder of [...search.configured.map((each) => each.folder), ...search.defaults].map(real)) {
    if (done.has(folder)) continue;
    done.add(folder);
    const named = new Map<string, string>();
    for (const path of folders.get(folder) ?? []) {
      const file = tree.file(path);
      if (file === null || file.bytes === 0) continue;
      const soname = file.binary?.soname ?? sonameByName(nameOf(path));
      if (soname === null) continue;
      const known = named.get(soname);
      if (known === undefined || byNumber(nameOf(known), nameOf(path)) < 0) named.set(soname, path);
    }
    for (const [soname, path] of named) cache.push({ soname, path });
  }
  return cache;
}

/** `libcudnn.so.9.1.0` → `libcudnn.so.9`; a name that ends in one number is a SONAME already. */
export function sonameByName(name: string): string | null {
  const at = name.indexOf('.so.');
  if (at < 0) return null;
  const numbers = name.slice(at + 4).split('.');
  if (name.startsWith('libcuda.so') || name.startsWith('libnvidia-')) return `${name.slice(0, at)}.so.1`;
  // CUDA 11 and older have two numbers in some SONAMEs: libcudart.so.11.0, libnvrtc.so.11.2.
  if (/^lib(?:cudart|nvrtc)\.so\.11\./.test(name))
    return name.startsWith('libcudart') ? 'libcudart.so.11.0' : 'libnvrtc.so.11.2';
  return `${name.slice(0, at)}.so.${numbers[0]}`;
}

/** Order of file names as ldconfig has it: runs of digits by their value. */
export function byNumber(a: string, b: string): number {
  const x = a.match(/\d{1,12}|\D{1,200}/g) ?? [];
  const y = b.match(/\d{1,12}|\D{1,200}/g) ?? [];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const [p, q] = [x[at]!, y[at]!];
    if (p === q) continue;
    if (/^\d/.test(p) && /^\d/.test(q) && Number(p) !== Number(q)) return Number(p) - Number(q);
    return p < q ? -1 : 1;
  }
  return x.length - y.length;
}
