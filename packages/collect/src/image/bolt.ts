// The database of containerd (bbolt), read only and only where it is needed: names of images. Form: bbolt's page.go,
// bucket.go; pages of a fixed size, little-endian, two meta pages at the beginning.
import type { OpenFile } from './open-file.ts';

const magic = 0xed0cdaed;
const mostPages = 20_000;
const mostItems = 200_000;
const mostDepth = 32;

/** The database cannot be read: why. */
export class BoltError extends Error {}

type Bucket = { readonly page: number } | { readonly inline: Buffer };

/** A database that is open for reading. Writers may go on meanwhile: what is read is checked as far as it goes. */
export class Bolt {
  private readonly file: OpenFile;
  private readonly pageSize: number;
  private readonly root: Bucket;
  private pages = 0;
  private items = 0;

  private constructor(file: OpenFile, pageSize: number, root: number) {
    this.file = file;
    this.pageSize = pageSize;
    this.root = { page: root };
  }

  /** @throws BoltError where it is none */
  static async open(file: OpenFile): Promise<Bolt> {
    let best: { readonly pageSize: number; readonly root: number; readonly transaction: bigint } | null = null;
    for (const size of [4096, 8192, 16384, 65536]) {
      for (const at of [0, size]) {
        const page = Buffer.from(await file.read(at, 80));
        if (page.length < 80 || page.readUInt32LE(16) !== magic || page.readUInt32LE(20) !== 2) continue;
        const pageSize = page.readUInt32LE(24);
        if (pageSize !== size) continue;
        if (page.readBigUInt64LE(72) !== fnv(page.subarray(16, 72))) continue;
        const transaction = page.readBigUInt64LE(64);
        if (best === null || transaction > best.transaction)
          best = { pageSize, root: Number(page.readBigUInt64LE(32)), transaction };
      }
    }
    if (best === null) throw new BoltError('it is no database of containerd');
    return new Bolt(file, best.pageSize, best.root);
  }

  /** Names in a bucket, and which of them are buckets. */
  async list(path: readonly string[]): Promise<readonly { readonly key: string; readonly bucket: boolean }[]> {
    const bucket = await this.bucketAt(path);
    if (bucket === null) return [];
    const found: { key: string; bucket: boolean }[] = [];
    await this.each(bucket, (key, _, isBucket) => {
      found.push({ key: key.toString('utf8'), bucket: isBucket });
      return false;
    });
    return found;
  }

  /** A value; null where there is none. */
  async value(path: readonly string[]): Promise<Buffer | null> {
    const bucket = await this.bucketAt(path.slice(0, -1));
    const name = path.at(-1)!;
    let found: Buffer | null = null;
    if (bucket !== null)
      await this.each(bucket, (key, value, isBucket) => {
        if (isBucket || key.toString('utf8') !== name) return false;
        found = Buffer.from(value);
        return true;
      });
    return found;
  }

  private async bucketAt(path: readonly string[]): Promise<Bucket | null> {
    let bucket: Bucket | null = this.root;
    for (const name of path) {
      let next: Bucket | null = null;
      await this.each(bucket, (key, value, isBucket) => {
        if (!isBucket || key.toString('utf8') !== name) return false;
        if (value.length < 16) throw new BoltError('a bucket is damaged');
        const page = Number(value.readBigUInt64LE(0));
        next = page === 0 ? { inline: Buffer.from(value.subarray(16)) } : { page };
        return true;
      });
      bucket = next;
      if (bucket === null) return null;
    }
    return bucket;
  }

  /** @param visit gives true to end */
  private async each(
    bucket: Bucket,
    visit: (key: Buffer, value: Buffer, isBucket: boolean) => boolean,
    depth: number = 0,
  ): Promise<boolean> {
    if (depth > mostDepth) throw new BoltError('its pages are too deep');
    const page = 'inline' in bucket ? bucket.inline : await this.page(bucket.page);
    if (page.length < 16) throw new BoltError('a page is damaged');
    const flags = page.readUInt16LE(8);
    const count = page.readUInt16LE(10);
    this.items += count;
    if (this.items > mostItems) throw new BoltError('it has too many entries');
    for (let at = 0; at < count; at++) {
      const element = 16 + at * 16;
      if (element + 16 > page.length) throw new BoltError('a page is damaged');
      if ((flags & 1) !== 0) {
        const child = Number(page.readBigUInt64LE(element + 8));
        if (await this.each({ page: child }, visit, depth + 1)) return true;
        continue;
      }
      if ((flags & 2) === 0) throw new BoltError('a page is of another kind');
      const start = element + page.readUInt32LE(element + 4);
      const keyEnd = start + page.readUInt32LE(element + 8);
      const end = keyEnd + page.readUInt32LE(element + 12);
      if (end > page.length) throw new BoltError('a page is damaged');
      if (visit(page.subarray(start, keyEnd), page.subarray(keyEnd, end), (page.readUInt32LE(element) & 1) !== 0))
        return true;
    }
    return false;
  }

  private async page(id: number): Promise<Buffer> {
    if (++this.pages > mostPages) throw new BoltError('it has too many pages');
    const at = id * this.pageSize;
    if (!Number.isSafeInteger(at) || at < 0 || at >= this.file.size) throw new BoltError('a page is not there');
    const head = Buffer.from(await this.file.read(at, this.pageSize));
    if (head.length < 16 || Number(head.readBigUInt64LE(0)) !== id) throw new BoltError('a page is damaged');
    const overflow = head.readUInt32LE(12);
    if (overflow === 0) return head;
    if (overflow > 4096) throw new BoltError('a page is too long');
    return Buffer.from(await this.file.read(at, this.pageSize * (overflow + 1)));
  }
}

/** FNV-1a, 64 bits. */
function fnv(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}
