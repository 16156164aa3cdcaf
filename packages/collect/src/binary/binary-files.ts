// Files of machine code on this machine: what a name stands for, and what each file says.
import { closeSync, constants, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kindOf } from '@culprit/core/binary/inspect';
import type { InspectOptions } from '@culprit/core/binary/inspect';
import { toAskBeside, toldBeside } from '@culprit/core/binary/neighbours';
import type { BinaryFile, UnreadPlace } from '@culprit/core/binary/report';
import { openSource } from './file-source.ts';
import { inflateRaw, nativeZstd } from './inflate.ts';
import type { ReadBinary } from './read-source.ts';
import { readSource } from './read-source.ts';

/** What names stand for. */
export interface BinaryPaths {
  /** `named`: by the user; others were met in a folder. */
  readonly paths: readonly { readonly path: string; readonly named: boolean }[];
  readonly unread: readonly UnreadPlace[];
}

const mostFiles = 200_000;
const deepest = 64;

/** Files of machine code below folders, and files that were named. Symbolic links inside of folders are not followed. */
export function findBinaries(names: readonly string[]): BinaryPaths {
  const paths: { path: string; named: boolean }[] = [];
  const unread: UnreadPlace[] = [];
  const head = new Uint8Array(8);
  let seen = 0;
  const walk = (folder: string, depth: number): void => {
    let entries;
    try {
      entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      unread.push({ path: folder, offset: 0, reason: reasonOf(error) });
      return;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < deepest) walk(path, depth + 1);
        else unread.push({ path, offset: 0, reason: `more than ${deepest} folders deep; not read` });
        continue;
      }
      if (!entry.isFile() || textName(entry.name)) continue;
      seen += 1;
      if (seen > mostFiles) continue;
      const kind = kindAt(path, head);
      if (typeof kind === 'object' && kind !== null) unread.push({ path, offset: 0, reason: kind.reason });
      else if (kind !== null && (kind !== 'wheel' || path.endsWith('.whl'))) paths.push({ path, named: false });
    }
  };
  for (const name of names) {
    try {
      if (statSync(name).isDirectory()) walk(name, 0);
      else paths.push({ path: name, named: true });
    } catch (error) {
      unread.push({ path: name, offset: 0, reason: reasonOf(error) });
    }
  }
  if (seen > mostFiles)
    unread.push({
      path: names.join(' '),
      offset: 0,
      reason: `more than ${mostFiles} files; ${seen - mostFiles} were not opened`,
    });
  return { paths, unread };
}

/** Texts and data by their name: a folder of Python packages has ten thousands. */
function textName(name: string): boolean {
  return /\.(?:py|pyc|pyi|h|hpp|cuh|cu|txt|md|json|yaml|yml|rst|html|js|css|cmake|png|svg|csv|gz|typed)$/.test(name);
}

function kindAt(path: string, head: Uint8Array): BinaryFile['kind'] | null | { readonly reason: string } {
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const count = readSync(fd, head, 0, head.length, 0);
    return count < head.length ? null : kindOf(head);
  } catch (error) {
    return { reason: reasonOf(error) };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Reads one file. What keeps it from being read is a value, never an exception. */
export async function readBinary(path: string, options: Omit<InspectOptions, 'inflate' | 'zstd'>): Promise<ReadBinary> {
  let source;
  try {
    source = openSource(path);
  } catch (error) {
    return { file: null, unread: [{ path, offset: 0, reason: reasonOf(error) }] };
  }
  const whole: InspectOptions = {
    ...options,
    inflate: inflateRaw,
    ...(nativeZstd !== undefined && { zstd: nativeZstd }),
  };
  try {
    return await readSource(source, path, whole);
  } catch (error) {
    return { file: null, unread: [{ path, offset: 0, reason: reasonOf(error) }] };
  } finally {
    source.close();
  }
}

/** Fills in versions that only a library in the same folder tells, whether it was named or not. */
export async function askBeside(files: readonly BinaryFile[]): Promise<readonly BinaryFile[]> {
  const known = new Set(files.map((file) => file.path));
  const others: BinaryFile[] = [];
  for (const file of files) {
    for (const name of toAskBeside(file)) {
      const path = join(dirname(file.path), name);
      // `join` takes the leading `./` away.
      const shown = file.path.startsWith('./') ? `./${path}` : path;
      if (known.has(shown) || !existsSync(path)) continue;
      known.add(shown);
      const read = await readBinary(path, { kernels: 'none' });
      if (read.file !== null) others.push({ ...read.file, path: shown });
    }
  }
  return toldBeside([...files, ...others]).slice(0, files.length);
}

/** Errors of the system in words. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  EISDIR: 'it is a folder',
  ENXIO: 'it is no plain file',
  ELOOP: 'its symbolic links lead in a circle',
};

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}
