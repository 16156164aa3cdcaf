// What a process of a framework loads: the libraries that its root needs, breadth first as the loader goes, each SONAME
// once. Whoever asks later gets what is loaded already (ld.so(8)).
import type { LibraryCopy, Load } from './contents.ts';
import type { ImageLoader } from './loading.ts';
import type { TreeFile } from './tree.ts';

/** Roots of the frameworks in the order in which an import loads them. */
const roots: readonly { readonly family: string; readonly path: RegExp }[] = [
  { family: 'torch', path: /\/torch\/lib\/libtorch_global_deps\.so$/ },
  { family: 'torch', path: /\/torch\/lib\/libtorch(?:_cuda)?\.so$/ },
  { family: 'tensorflow', path: /\/tensorflow\/(?:libtensorflow_cc|libtensorflow_framework)\.so(?:\.\d)?$/ },
  { family: 'jax', path: /\/(?:jax_plugins|jax_cuda\d{2}_\w{1,20})\/.{1,80}\.so$/ },
  { family: 'onnxruntime', path: /\/onnxruntime\/capi\/libonnxruntime_providers_cuda\.so$/ },
];

const mostLoads = 400;
const mostLoaded = 2000;

/** Loads of every library that was read for the tracked libraries it needs, where there are several copies. */
export function loadsOf(
  files: readonly TreeFile[],
  copies: readonly LibraryCopy[],
  loader: ImageLoader,
): readonly Load[] {
  const bySoname = new Map<string, LibraryCopy[]>();
  for (const copy of copies) {
    if (copy.soname === null) continue;
    const list = bySoname.get(copy.soname);
    if (list === undefined) bySoname.set(copy.soname, [copy]);
    else list.push(copy);
  }
  const byPath = new Map(files.map((file) => [file.path, file]));
  const versions = new Map(copies.map((copy) => [copy.path, copy.version]));
  const loads: Load[] = [];
  const asked = new Set<string>();

  /** One process, from its roots on. */
  const run = (first: readonly TreeFile[]): void => {
    const loaded = new Map<string, string>();
    const queue = first.map((file) => ({ file, above: [] as readonly string[] }));
    const seen = new Set(queue.map((each) => each.file.path));
    for (let at = 0; at < queue.length && at < mostLoaded; at++) {
      const { file, above } = queue[at]!;
      const tags = loader.tagsOf(file);
      // The RPATH of those who loaded a library counts for what it needs, unless it has a RUNPATH itself.
      const rpath = tags.runpath.length > 0 ? [] : [...tags.rpath, ...above];
      asked.add(file.path);
      for (const soname of file.binary?.needed ?? []) {
        const known = bySoname.get(soname) ?? [];
        const before = loaded.get(soname);
        const taken = before === undefined ? loader.take(soname, file, rpath) : null;
        const path = before ?? taken?.path ?? null;
        if (path !== null) loaded.set(soname, path);
        if (known.length > 1 && before === undefined && loads.length < mostLoads)
          loads.push({
            asker: file.path,
            layer: file.layer,
            soname,
            path,
            version: path === null ? null : (versions.get(path) ?? null),
            by: taken?.by ?? null,
            others: known
              .filter((each) => each.path !== path)
              .map((each) => ({ path: each.path, version: each.version })),
          });
        const next = path === null ? undefined : byPath.get(path);
        if (next?.binary == null || seen.has(next.path)) continue;
        seen.add(next.path);
        queue.push({ file: next, above: rpath });
      }
    }
  };

  const processes = new Map<string, TreeFile[]>();
  for (const { family, path } of roots)
    for (const file of files) {
      if (file.binary === null || !path.test(file.path)) continue;
      const key = `${family}\u0000${homeOf(file.path)}`;
      const list = processes.get(key);
      if (list === undefined) processes.set(key, [file]);
      else if (!list.includes(file)) list.push(file);
    }
  for (const first of processes.values()) run(first);
  for (const file of files)
    if (file.binary !== null && file.binary.needed.length > 0 && !asked.has(file.path)) run([file]);
  return loads;
}

/** Folder of the packages that a path lies in. */
function homeOf(path: string): string {
  const at = /\/(?:site|dist)-packages\//.exec(path);
  return at === null ? '' : path.slice(0, at.index);
}
