// Which file the dynamic loader gives for a name (ld.so(8), glibc): LD_PRELOAD and what is loaded already, RPATH,
// LD_LIBRARY_PATH, RUNPATH, the cache, the default folders. The first file of the name that fits wins.

/** A file as a listing shows it. */
export interface LoaderFile {
  readonly path: string;
  /** Absolute path that a link names; null where it is none. */
  readonly target: string | null;
  /** Size; null where it is not known. */
  readonly bytes: number | null;
}

/** What a process of an environment finds. */
export interface LoaderView {
  readonly files: ReadonlyMap<string, LoaderFile>;
  /** Folders whose files of the GPU stack are all in `files`: a name that is not there does not exist. */
  readonly listed: ReadonlySet<string>;
  readonly preload: readonly string[];
  readonly libraryPath: readonly string[];
  /** Entries of the cache in its order; empty where there is none. */
  readonly cache: readonly { readonly soname: string; readonly path: string }[];
  readonly defaults: readonly string[];
}

/** The library that asks, and its tags. */
export interface Asker {
  readonly name: string;
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** RPATH of those that loaded it, up to the program itself; glibc goes by them where the library has no RUNPATH. */
  readonly inherited?: readonly string[];
  /** Folders that one of the two tags names, where it was not read which. */
  readonly either?: readonly string[];
}

export type By = 'LD_PRELOAD' | 'RPATH' | 'LD_LIBRARY_PATH' | 'RUNPATH' | 'ld.so.cache' | 'default';
export type Kind = 'driver' | 'compat' | 'stub' | 'ghost' | 'toolkit' | 'wheel' | 'system' | 'other';

export interface Loaded {
  readonly soname: string;
  /** The file itself, links followed; null where the loader finds none. */
  readonly path: string | null;
  readonly kind: Kind;
  readonly by: By | null;
  /** The name under which it was found. */
  readonly found: string | null;
  /** What wins instead if the tag is the other one. */
  readonly rival: string | null;
  readonly losers: readonly string[];
}

const mostLinks = 20;

/** A path with the links followed that are listed, of folders and of the file; null where they run in a circle. */
function realPath(path: string, view: LoaderView): string | null {
  let rest = path.split('/');
  let at = '';
  let hops = 0;
  while (rest.length > 0) {
    const part = rest.shift()!;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
      continue;
    }
    const target = view.files.get(`${at}/${part}`)?.target ?? null;
    if (target === null) at = `${at}/${part}`;
    else if (++hops > mostLinks) return null;
    else {
      rest = [...target.split('/'), ...rest];
      at = '';
    }
  }
  return at === '' ? '/' : at;
}

/** The file behind a path, links followed; null where a link leads to a file that is known not to exist. */
export function fileOf(path: string, view: LoaderView): string | null {
  const real = realPath(path, view);
  if (real === null || view.files.has(real)) return real;
  return view.listed.has(real.slice(0, real.lastIndexOf('/'))) ? null : real;
}

/** `/a/b/../c` → `/a/c`. */
export function normalPath(path: string): string {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') out.pop();
    else if (part !== '' && part !== '.') out.push(part);
  }
  return `/${out.join('/')}`;
}

/** What kind of file a path is, by its place and its size. */
export function kindOf(path: string, view: LoaderView): Kind {
  if (view.files.get(path)?.bytes === 0) return 'ghost';
  if (/\/stubs\//.test(path)) return 'stub';
  if (/\/compat(?:_orin)?\//.test(path)) return 'compat';
  if (/\/(?:site|dist)-packages\//.test(path)) return 'wheel';
  if (/\/lib(?:cuda\.so|nvidia-|nvcuvid|cudadebugger)/.test(path)) return 'driver';
  if (/\/(?:usr\/local|opt)\/cuda[^/]{0,20}\//.test(path)) return 'toolkit';
  if (/^\/(?:usr\/)?(?:local\/)?lib(?:64)?\//.test(path)) return 'system';
  return 'other';
}

/**
 * Says which file a process loads for a name.
 * @param soname as it is asked for: `libcuda.so.1`
 * @param asker the library that needs it, or null for a plain dlopen without tags
 */
export function resolve(soname: string, view: LoaderView, asker: Asker | null): Loaded {
  const found: { readonly by: By; readonly place: string; readonly file: string }[] = [];
  const take = (by: By, place: string): void => {
    const file = fileOf(place, view);
    if (file !== null && !found.some((each) => each.place === place)) found.push({ by, place, file });
  };
  const inFolder = (by: By, folder: string): void => {
    const place = normalPath(`${folder}/${soname}`);
    const real = realPath(folder, view);
    if (real !== null && view.files.has(`${real}/${soname}`)) take(by, place);
  };
  for (const path of view.preload) if (path.slice(path.lastIndexOf('/') + 1) === soname) take('LD_PRELOAD', path);
  if (asker !== null && asker.runpath.length === 0)
    for (const each of [...asker.rpath, ...(asker.inherited ?? [])]) inFolder('RPATH', each);
  for (const each of view.libraryPath) if (each.startsWith('/')) inFolder('LD_LIBRARY_PATH', each);
  for (const each of asker?.runpath ?? []) inFolder('RUNPATH', each);
  const before = found.length;
  for (const each of asker?.either ?? []) inFolder('RUNPATH', each);
  // ldconfig passes over empty files, and what its cache names may be gone.
  for (const entry of view.cache) if (entry.soname === soname) take('ld.so.cache', entry.path);
  for (const each of view.defaults) inFolder('default', each);
  const own = asker?.either === undefined ? undefined : found.slice(before).find((each) => each.by === 'RUNPATH');
  // As RPATH the library's own folder comes before LD_LIBRARY_PATH, as RUNPATH behind it.
  const first = own ?? found[0];
  if (first === undefined) return { soname, path: null, kind: 'other', by: null, found: null, rival: null, losers: [] };
  const rival =
    own !== undefined && found[0] !== undefined && found[0] !== own && found[0].file !== own.file ? found[0] : null;
  const losers = [...new Set(found.map((each) => each.file))].filter((each) => each !== first.file);
  return {
    soname,
    path: first.file,
    kind: kindOf(first.file, view),
    by: first.by,
    found: first.place,
    rival: rival?.file ?? null,
    losers: losers.slice(0, 20),
  };
}
