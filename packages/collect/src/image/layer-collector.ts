// What is kept of the entries of a layer.
import { passingFile } from '@culprit/core/binary/passing';
import { interestOf, interestOfLink, mostTextBytes } from '@culprit/core/image/interest';
import type { Interest, LayerScan, ScannedEntry } from '@culprit/core/image/model';
import { latin1 } from '../joined.ts';
import type { Taker } from './tar-reader.ts';

/** Bounds of one layer: what is beyond is counted and said. */
const mostEntries = 200_000;
const mostWhiteouts = 200_000;
const mostText = 64 * 1024 ** 2;
const mostPath = 4096;
const mostDepth = 256;
/** Links whose name is of no interest by itself; another link may lead through them. */
const mostLinks = 100_000;
/** Binary files of one layer that are read; each brings a few kilobytes. */
const mostBinaries = 20_000;

type Draft = { -readonly [Key in keyof ScannedEntry]: ScannedEntry[Key] };

export interface Member {
  /** As written: relative or absolute, perhaps hostile. */
  readonly name: string;
  readonly type: 'file' | 'hardlink' | 'symlink' | 'directory' | 'device' | 'fifo' | 'other';
  readonly bytes: number;
  readonly link: string;
}

/** Keeps what the inventory wants of the entries of one layer, under fixed bounds. */
export class LayerCollector {
  private readonly deep: boolean;
  /** Names `.wh.…` mean deletions: in layers, not in a plain root file system. */
  private readonly whiteoutNames: boolean;
  private readonly kept = new Map<string, Draft>();
  /** Folders above what is kept. */
  private readonly above = new Set<string>();
  private readonly whiteouts: string[] = [];
  private readonly opaque: string[] = [];
  private readonly pending: Promise<void>[] = [];
  private readonly reasons = new Map<string, { count: number; readonly names: string[] }>();
  private text = 0;
  private binaries = 0;
  private links = 0;

  constructor(deep: boolean, whiteoutNames: boolean = true) {
    this.deep = deep;
    this.whiteoutNames = whiteoutNames;
  }

  /** Whether the content of such a member would be asked for: what a table of contents is gone through with. */
  wants(member: Member): boolean {
    if (member.type !== 'file' || member.bytes === 0) return false;
    const path = normalPath(member.name);
    if (path === null) return false;
    const interest = interestOf(path, this.deep);
    return interest === 'binary' || (interest === 'text' && member.bytes <= mostTextBytes(path));
  }

  /** @returns what takes the content; null where it is of no use */
  member(member: Member): Taker | null {
    const path = normalPath(member.name);
    if (path === null) {
      this.pass('names lead out of the image or are too long', member.name);
      return null;
    }
    if (path === '/') return null;
    if (this.whiteoutNames && path.includes('/.wh.') && this.whiteout(path, member)) return null;
    // What comes later in a layer replaces what came before.
    if (this.kept.has(path)) this.kept.delete(path);
    if (member.type !== 'directory' && this.above.has(path)) this.replaceFolder(path);
    switch (member.type) {
      case 'file':
        return this.file(path, member.bytes);
      case 'directory':
        if (interestOf(path, this.deep) !== 'no') this.keep({ path, type: 'directory', bytes: 0 });
        return null;
      case 'symlink':
        this.symlink(path, member.link);
        return null;
      case 'hardlink':
        this.hardlink(path, member.link);
        return null;
      case 'device':
      case 'fifo':
      case 'other':
        if (interestOf(path, this.deep) !== 'no') this.pass('devices, pipes and sockets', path);
        return null;
      default:
        return member.type satisfies never;
    }
  }

  /** Something that was not read, counted by its reason. */
  pass(reason: string, name: string): void {
    const known = this.reasons.get(reason) ?? { count: 0, names: [] };
    known.count++;
    if (known.names.length < 3) known.names.push(printable(name));
    this.reasons.set(reason, known);
  }

  async result(): Promise<Pick<LayerScan, 'entries' | 'whiteouts' | 'opaque' | 'left'>> {
    await Promise.all(this.pending);
    const left = [...this.reasons].map(
      ([reason, { count, names }]) => `${reason} (${count}): ${names.join(', ')}${count > names.length ? ', …' : ''}`,
    );
    return { entries: [...this.kept.values()], whiteouts: this.whiteouts, opaque: this.opaque, left };
  }

  private whiteout(path: string, member: Member): boolean {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    if (!name.startsWith('.wh.')) return false;
    const folder = path.slice(0, slash);
    if (name === '.wh..wh..opq') this.mark(this.opaque, folder === '' ? '/' : folder);
    // `.wh..wh.plnk`, `.wh..wh.aufs`: bookkeeping of aufs.
    else if (!name.startsWith('.wh..wh.')) {
      const hidden = name.slice(4);
      if (hidden === '' || hidden === '.' || hidden === '..') this.pass('deletions of no name', member.name);
      else this.mark(this.whiteouts, `${folder}/${hidden}`);
    }
    return true;
  }

  private mark(list: string[], path: string): void {
    if (list.length >= mostWhiteouts) this.pass(`deletions beyond ${mostWhiteouts}`, path);
    else list.push(path);
  }

  private keep(entry: Draft): boolean {
    if (this.kept.size >= mostEntries) {
      this.pass(`entries beyond ${mostEntries}`, entry.path);
      return false;
    }
    this.kept.set(entry.path, entry);
    for (let slash = entry.path.lastIndexOf('/'); slash > 0; slash = entry.path.lastIndexOf('/', slash - 1)) {
      const folder = entry.path.slice(0, slash);
      if (this.above.has(folder)) break;
      this.above.add(folder);
    }
    return true;
  }

  private replaceFolder(path: string): void {
    this.above.delete(path);
    for (const each of this.kept.keys()) if (each.startsWith(`${path}/`)) this.kept.delete(each);
    for (const each of this.above) if (each.startsWith(`${path}/`)) this.above.delete(each);
  }

  private file(path: string, bytes: number): Taker | null {
    const interest: Interest = interestOf(path, this.deep);
    if (interest === 'no') return null;
    const entry: Draft = { path, type: 'file', bytes };
    if (!this.keep(entry) || interest === 'list' || (bytes === 0 && interest === 'binary')) return null;
    return interest === 'text' ? this.textFile(entry) : this.binaryFile(entry);
  }

  private textFile(entry: Draft): Taker | null {
    if (entry.bytes > mostTextBytes(entry.path) || this.text + entry.bytes > mostText) {
      this.pass('texts that are too long', entry.path);
      return null;
    }
    this.text += entry.bytes;
    const content = new Uint8Array(entry.bytes);
    let filled = 0;
    return {
      data: (chunk) => {
        content.set(chunk.subarray(0, entry.bytes - filled), filled);
        filled = Math.min(entry.bytes, filled + chunk.length);
      },
      end: () => {
        entry.text = textOf(content.subarray(0, filled));
      },
    };
  }

  private binaryFile(entry: Draft): Taker | null {
    if (this.binaries >= mostBinaries) {
      this.pass(`libraries beyond ${mostBinaries}`, entry.path);
      return null;
    }
    this.binaries++;
    const passing = passingFile(entry.path, entry.bytes);
    return {
      data: (chunk) => {
        if (!passing.done) passing.push(chunk);
      },
      end: () => {
        this.pending.push(
          passing.end().then((facts) => {
            if (facts !== null) entry.binary = facts;
          }),
        );
      },
    };
  }

  private symlink(path: string, target: string): void {
    if (target.length > mostPath) this.pass('links that are too long', path);
    else if (interestOfLink(path, target) === 'no' && ++this.links > mostLinks)
      this.pass(`links beyond ${mostLinks}`, path);
    else this.keep({ path, type: 'symlink', bytes: 0, target });
  }

  private hardlink(path: string, written: string): void {
    const interest = interestOf(path, this.deep);
    const target = normalPath(written);
    if (target === null) {
      this.pass('hard links that lead out of the image', path);
      return;
    }
    const other = this.kept.get(target);
    if (interest === 'no' && other === undefined) return;
    if (interest !== 'no' && interest !== 'list' && other === undefined)
      this.pass(`hard links to files whose name is not of interest`, `${path} -> ${target}`);
    this.keep({ path, type: 'hardlink', bytes: other?.bytes ?? 0, target });
  }
}

/**
 * Absolute and normal form of a path in an image; null where it leads out of it, or is longer or deeper than any real one.
 * @param name as an archive has it: `./usr/lib/x`, `usr/lib/`, `/usr/lib`
 */
export function normalPath(name: string): string | null {
  if (name.length > mostPath || name.includes('\0')) return null;
  let depth = 0;
  let plain = true;
  // One pass sees whether anything is to be done: empty parts, `.` and `..`.
  for (let at = 0, start = 0; at <= name.length; at++) {
    if (at < name.length && name.charCodeAt(at) !== 47) continue;
    const length = at - start;
    if (length === 0 && start > 0 && at < name.length) plain = false;
    if (name.charCodeAt(start) === 46 && (length === 1 || (length === 2 && name.charCodeAt(start + 1) === 46)))
      plain = start === 0 && length === 1 && at < name.length ? plain : false;
    start = at + 1;
    depth++;
  }
  if (depth > mostDepth) return null;
  if (plain) {
    let from = 0;
    if (name.startsWith('./')) from = 1;
    const end = name.length > from + 1 && name.endsWith('/') ? name.length - 1 : name.length;
    const path = name.slice(from, end);
    return path.startsWith('/') ? path : `/${path}`;
  }
  const parts: string[] = [];
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return `/${parts.join('/')}`;
}

/** Bytes that are no text keep their places: one character each. */
function textOf(content: Uint8Array): string {
  return content.includes(0) ? latin1(content) : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
}

/** A name from an image as it may stand in a message. */
export function printable(name: string): string {
  const short = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  // oxlint-disable-next-line no-control-regex
  return short.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\uFFFD');
}
