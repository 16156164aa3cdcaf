// Libraries that do not tell their version, but lie beside one of the same release that does: libcudnn.so.9 only loads
// its parts, and libcublas asks libcublasLt.
import { baseName, libraryKindOf } from './library.ts';
import type { FileFacts } from './model.ts';

/** What is asked of a file: its path and library. */
export interface Neighbour {
  readonly path: string;
  readonly library: FileFacts['library'];
  readonly soname: string | null;
}

/** Names of files in the same folder whose version is also that of this one; empty where it tells itself. */
export function toAskBeside(file: Neighbour): readonly string[] {
  if (file.library === null || file.library.version !== null) return [];
  const known = libraryKindOf(file.soname, file.path);
  if (known === null || known.major === null) return [];
  return known.kind.beside.map((name) => `lib${name}.so.${known.major}`);
}

/** The files with versions told by those beside them, where these agree. */
export function toldBeside<File extends Neighbour>(files: readonly File[]): readonly File[] {
  const versions = new Map<string, string>();
  for (const file of files) {
    if (file.library?.version == null) continue;
    const known = libraryKindOf(file.soname, file.path);
    if (known !== null)
      versions.set(`${folderOf(file.path)}lib${known.kind.name}.so.${known.major}`, file.library.version);
  }
  return files.map((file) => {
    const found = new Set(toAskBeside(file).flatMap((name) => versions.get(`${folderOf(file.path)}${name}`) ?? []));
    const [version] = found;
    return file.library === null || found.size !== 1 || version === undefined
      ? file
      : { ...file, library: { ...file.library, version } };
  });
}

function folderOf(path: string): string {
  return path.slice(0, path.length - baseName(path).length);
}
