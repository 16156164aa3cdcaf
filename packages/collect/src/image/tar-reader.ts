// Reads a tar stream while it goes by: ustar, pax (POSIX.1-2001) and GNU (long names, numbers in base 256, sparse files).
// What is unusual is read as Go's archive/tar reads it, with which engines make and unpack layers.
import { ascii, decimalOf, numberOf, paxRecords, sumsAgree, TarError } from './tar-fields.ts';
import type { SparseMap } from './tar-sparse.ts';
import { expanding, oldSparse, paxSparse, sparseText } from './tar-sparse.ts';

type TarType = 'file' | 'hardlink' | 'symlink' | 'directory' | 'device' | 'fifo' | 'other';

export interface TarEntry {
  /** As written. */
  readonly name: string;
  readonly type: TarType;
  /** Bytes of the content, holes included. */
  readonly bytes: number;
  /** Where a link leads, as written. */
  readonly link: string;
  /** Place of the content in the tar, and bytes that it takes there. */
  readonly offset: number;
  readonly stored: number;
  /** Number of the entry, from 1. */
  readonly number: number;
}

/** Takes the content of one entry. A chunk is valid during the call. */
export interface Taker {
  data(chunk: Uint8Array): void;
  end(): void;
}

/** Most bytes of a long name or a pax header, as in Go. */
const mostMeta = 1 << 20;
const block = 512;

/** Gets a tar in chunks, as they come, and tells each entry. */
export class TarReader {
  private readonly entry: (entry: TarEntry) => Taker | null;
  private readonly head = new Uint8Array(block);
  private headLength = 0;
  /** Place in the tar. */
  private at = 0;
  /** Content of the current member that has not come yet, and the zeros behind it. */
  private content = 0;
  private padding = 0;
  private taker: Taker | null = null;
  /** Long names and pax headers are collected. */
  private meta: { readonly type: string; readonly bytes: Uint8Array; filled: number } | null = null;
  private global: ReadonlyMap<string, string> = new Map();
  private local: ReadonlyMap<string, string> = new Map();
  private longName: string | null = null;
  private longLink: string | null = null;
  /** An old GNU sparse file whose map goes on in further blocks. */
  private sparse: { readonly head: Uint8Array; readonly map: number[] } | null = null;
  private zeros = 0;
  private count = 0;
  private members = 0;
  private over = false;

  /** @param entry is told each entry; gives what takes its content, or null to pass over it */
  constructor(entry: (entry: TarEntry) => Taker | null) {
    this.entry = entry;
  }

  /** The end mark was read: what follows is padding. */
  get ended(): boolean {
    return this.over;
  }

  /** Entries told so far. */
  get entries(): number {
    return this.count;
  }

  /** Bytes that come next and that nobody takes: they need not be pushed but can be passed by `skip`. */
  get idle(): number {
    return this.taker === null && this.meta === null && this.headLength === 0 ? this.content + this.padding : 0;
  }

  /** Says that `idle` bytes were passed over. */
  skip(): void {
    this.at += this.idle;
    this.content = 0;
    this.padding = 0;
  }

  /** @throws TarError where the tar is damaged */
  push(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length && !this.over) {
      const left = chunk.length - from;
      if (this.content > 0) {
        const count = Math.min(left, this.content);
        this.take(chunk.subarray(from, from + count));
        from += count;
      } else if (this.padding > 0) {
        const count = Math.min(left, this.padding);
        this.padding -= count;
        this.at += count;
        from += count;
      } else {
        const count = Math.min(left, block - this.headLength);
        if (count === block) this.header(chunk.subarray(from, from + block));
        else {
          this.head.set(chunk.subarray(from, from + count), this.headLength);
          this.headLength += count;
          if (this.headLength === block) {
            this.headLength = 0;
            this.header(this.head.slice());
          }
        }
        from += count;
      }
    }
  }

  /** @throws TarError where the tar ends within an entry */
  end(): void {
    if (this.over) return;
    if (this.content > 0 || this.headLength > 0 || this.meta !== null || this.sparse !== null)
      throw new TarError(`the tar ends within entry ${this.count}, ${this.content + this.padding} bytes early`);
    this.over = true;
  }

  private take(part: Uint8Array): void {
    this.content -= part.length;
    this.at += part.length;
    if (this.meta !== null) {
      this.meta.bytes.set(part, this.meta.filled);
      this.meta.filled += part.length;
      if (this.content === 0) this.metaEnded(this.meta);
      return;
    }
    if (this.taker === null) return;
    this.taker.data(part);
    if (this.content === 0) this.contentEnded();
  }

  private contentEnded(): void {
    this.taker?.end();
    this.taker = null;
  }

  private metaEnded({ type, bytes }: { readonly type: string; readonly bytes: Uint8Array }): void {
    this.meta = null;
    if (type === 'L') this.longName = ascii(bytes, 0, bytes.length);
    else if (type === 'K') this.longLink = ascii(bytes, 0, bytes.length);
    else if (type === 'g') this.global = paxRecords(bytes, this.members);
    else this.local = paxRecords(bytes, this.members);
  }

  private header(head: Uint8Array): void {
    this.at += block;
    if (this.sparse !== null) {
      this.sparseGoesOn(head);
      return;
    }
    if (head[0] === 0 && head.every((byte) => byte === 0)) {
      this.zeros++;
      if (this.zeros === 2) this.over = true;
      return;
    }
    this.zeros = 0;
    this.members++;
    if (!sumsAgree(head)) throw new TarError(`header ${this.members} has a wrong checksum`);
    const type = String.fromCharCode(head[156]!);
    const meta = type === 'L' || type === 'K' || type === 'x' || type === 'X' || type === 'g';
    if (!meta) {
      this.member(head, type);
      return;
    }
    const size = numberOf(head, 124, 12, this.members);
    if (size > mostMeta) throw new TarError(`header ${this.members} announces a name or record of ${size} bytes`);
    this.begin(size);
    if (size > 0) this.meta = { type, bytes: new Uint8Array(size), filled: 0 };
  }

  private begin(size: number): void {
    this.content = size;
    this.padding = (block - (size % block)) % block;
  }

  private member(head: Uint8Array, type: string): void {
    const pax = (key: string): string | undefined => this.local.get(key) ?? this.global.get(key);
    const sized = pax('size');
    const stored = sized === undefined ? numberOf(head, 124, 12, this.members) : decimalOf(sized, this.members);
    const gnu = head[262] === 0x20;
    const prefix = gnu || head[257] !== 0x75 ? '' : ascii(head, 345, 155);
    const short = ascii(head, 0, 100);
    const name = pax('path') ?? this.longName ?? (prefix === '' ? short : `${prefix}/${short}`);
    const link = pax('linkpath') ?? this.longLink ?? ascii(head, 157, 100);
    const described: Described = { name, link, stored, type: typeOf(type, name) };
    const sparse = paxSparse(this.local, this.members);
    this.local = new Map();
    this.longName = null;
    this.longLink = null;
    if (type === 'S') {
      const { map, more } = oldSparse(head, this.members);
      this.described = { ...described, real: numberOf(head, 483, 12, this.members) };
      if (more) this.sparse = { head, map };
      else this.tell(this.described, map);
    } else if (sparse !== null)
      this.tell({ ...described, name: sparse.name ?? name, real: sparse.real ?? stored }, sparse.map ?? 'in-content');
    else this.tell(described, null);
  }

  private described: Described | null = null;

  private sparseGoesOn(head: Uint8Array): void {
    const { map } = this.sparse!;
    const { map: next, more } = oldSparse(head, this.members, true);
    for (const each of next) map.push(each);
    if (map.length > 2 * 65536) throw new TarError(`header ${this.members} has more than 65536 holes`);
    if (more) return;
    this.sparse = null;
    this.tell(this.described!, map);
  }

  private tell({ name, link, type, stored, real }: Described, map: SparseMap | 'in-content' | null): void {
    // Links, folders and devices have no content, whatever their size says.
    const content = type === 'file' || type === 'other' ? stored : 0;
    this.begin(content);
    this.count++;
    const bytes = real ?? content;
    const taker = this.entry({ name, link, type, bytes, offset: this.at, stored: content, number: this.count });
    if (taker === null) return;
    if (map === null) this.taker = taker;
    else if (map === 'in-content') this.taker = sparseText(taker, bytes, this.count);
    else this.taker = expanding(taker, map, bytes, this.count);
    if (content === 0) this.contentEnded();
  }
}

interface Described {
  readonly name: string;
  readonly link: string;
  readonly type: TarType;
  readonly stored: number;
  readonly real?: number;
}

function typeOf(flag: string, name: string): TarType {
  switch (flag) {
    case '\0':
    case '0':
    case '7':
    case 'S':
      return name.endsWith('/') ? 'directory' : 'file';
    case '1':
      return 'hardlink';
    case '2':
      return 'symlink';
    case '3':
    case '4':
      return 'device';
    case '5':
      return 'directory';
    case '6':
      return 'fifo';
    default:
      return 'other';
  }
}
