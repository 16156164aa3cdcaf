// What was read of layers, kept by digest: the next image that has the layer need not read it again.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LayerScan } from '@culprit/core/image/model';
import { isObject } from './json.ts';

/** Changes whenever a layer would be read otherwise than before. */
const version = 1;
const mostBytes = 256 * 1024 ** 2;

/** A folder of layers that were read. What is in it is checked; what is damaged is read anew. */
export class LayerCache {
  private readonly folder: string;
  private readonly deep: boolean;
  readonly notes: string[] = [];

  constructor(folder: string, deep: boolean) {
    this.folder = folder;
    this.deep = deep;
  }

  /** @returns what is known of the layer; null where it must be read */
  async find(digest: string): Promise<LayerScan | null> {
    const path = this.pathOf(digest);
    let text: string;
    try {
      const state = await stat(path);
      if (!state.isFile() || state.size > mostBytes) throw new Error('it is no file of the cache');
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.ignored(path, (error as Error).message);
      return null;
    }
    const line = text.indexOf('\n');
    const sum = createHash('sha256')
      .update(text.slice(line + 1))
      .digest('hex');
    if (line < 0 || text.slice(0, line) !== `culprit layer ${version} sha256:${sum}`)
      return this.ignored(path, 'its content has another checksum or form');
    try {
      const value: unknown = JSON.parse(text.slice(line + 1));
      if (isObject(value) && value['key'] === this.keyOf(digest) && isScan(value['scan'])) return value['scan'];
    } catch {
      // Said below.
    }
    return this.ignored(path, 'it is of another layer or form');
  }

  /** Keeps what was read. A folder that cannot be written is said once. */
  async keep(digest: string, scan: LayerScan): Promise<void> {
    const body = JSON.stringify({ key: this.keyOf(digest), scan });
    const sum = createHash('sha256').update(body).digest('hex');
    const path = this.pathOf(digest);
    const next = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
    try {
      await makeFolder(this.folder);
      await writeFile(next, `culprit layer ${version} sha256:${sum}\n${body}`, { mode: 0o600, flag: 'wx' });
      await rename(next, path);
    } catch (error) {
      await rm(next, { force: true }).catch(() => {});
      const note = `cache: ${this.folder} cannot be written: ${(error as Error).message}`;
      if (!this.notes.includes(note)) this.notes.push(note);
    }
  }

  private keyOf(digest: string): string {
    return `${digest} ${this.deep ? 'deep' : 'usual'} ${version}`;
  }

  private pathOf(digest: string): string {
    return join(this.folder, `${digest.replace(':', '-')}${this.deep ? '-deep' : ''}.layer`);
  }

  private ignored(path: string, why: string): null {
    this.notes.push(`cache: ${path} is not used (${why}); the layer was read anew`);
    return null;
  }
}

/** With its parents. Node's own way (`recursive`) never ends where a file system refuses folders with ENOENT, as /proc. */
async function makeFolder(folder: string): Promise<void> {
  const make = async (): Promise<void> => {
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  };
  try {
    await make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await make();
  }
}

function isScan(value: unknown): value is LayerScan {
  if (!isObject(value) || !Array.isArray(value['entries'])) return false;
  const lists = [value['whiteouts'], value['opaque'], value['left']];
  return (
    lists.every((list) => Array.isArray(list) && list.every((each) => typeof each === 'string')) &&
    typeof value['bytes'] === 'number' &&
    typeof value['unpackedBytes'] === 'number' &&
    value['entries'].every(
      (each) => isObject(each) && typeof each['path'] === 'string' && typeof each['type'] === 'string',
    )
  );
}
