import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loaderCache, sharedObject } from './roots-files.ts';

/** Where the recorded root file systems are: `fixtures/roots/<name>/root.txt`, one a kind of machine. */
const rootsFolder: string = join(import.meta.dirname, '../fixtures/roots');

/** What the probe's verdict on a root must be. */
export interface ExpectedRoot {
  readonly status: string;
  readonly cause?: string;
  readonly certainty?: string;
  /** Facts that must be among those seen, by id. */
  readonly facts?: Readonly<Record<string, string>>;
  /** What the loader gives, each the part of a fact `loader.loads`. */
  readonly loads?: readonly Readonly<Record<string, unknown>>[];
}

export function rootNames(): readonly string[] {
  return readdirSync(rootsFolder).sort();
}

export function expectedOf(name: string): ExpectedRoot {
  return JSON.parse(readFileSync(join(rootsFolder, name, 'expected.json'), 'utf8')) as ExpectedRoot;
}

/**
 * Makes a root file system from its listing. Lines: `== PATH` and the file's text below, `-> PATH TARGET` a link,
 * `~ PATH BYTES` a file of that size, `0 PATH` an empty file, `/ PATH` a folder, `$$ PATH` the loader's cache and `## PATH`
 * a shared object made of the lines below.
 */
export function makeRoot(name: string): string {
  const root = mkdtempSync(join(tmpdir(), 'culprit-root-'));
  const place = (path: string): string => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    return full;
  };
  let file: { path: string; lines: string[]; sign: string } | null = null;
  const close = (): void => {
    if (file === null) return;
    if (file.sign !== '==') {
      const bytes = file.sign === '$$' ? loaderCache(file.lines) : sharedObject(file.lines);
      writeFileSync(place(file.path), bytes);
      file = null;
      return;
    }
    const text = `${file.lines.join('\n')}\n`;
    // The kernel parts variables by NUL.
    writeFileSync(place(file.path), file.path.endsWith('/environ') ? text.replaceAll('\n', '\0') : text);
    file = null;
  };
  for (const line of readFileSync(join(rootsFolder, name, 'root.txt'), 'utf8').split('\n')) {
    const [, sign, path = '', more = ''] = /^(==|\$\$|##|->|~|0|\/) (\S+)(?: (\S+))?$/.exec(line) ?? [];
    if (sign === undefined) {
      (file as { lines: string[] } | null)?.lines.push(line);
      continue;
    }
    close();
    if (sign === '==' || sign === '$$' || sign === '##') file = { path, lines: [], sign };
    else if (sign === '->') symlinkSync(more, place(path));
    else if (sign === '/') mkdirSync(place(join(path, 'x')).slice(0, -2), { recursive: true });
    else {
      writeFileSync(place(path), '');
      if (sign === '~') truncateSync(place(path), Number(more));
    }
  }
  close();
  chmodSync(root, 0o755);
  return root;
}
