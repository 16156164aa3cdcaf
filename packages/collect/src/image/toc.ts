// Layers with a table of contents: eStargz (stargz-snapshotter, docs/estargz.md) and zstd:chunked (containers/storage,
// pkg/chunked). With a registry, only the files that are wanted are fetched.
import { createHash } from 'node:crypto';
import * as zlib from 'node:zlib';
import { unpackZstd } from '@culprit/core/binary/zstd';
import type { LayerScan } from '@culprit/core/image/model';
import { ImageError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from './json.ts';
import type { Member } from './layer-collector.ts';
import { LayerCollector } from './layer-collector.ts';
import { algorithmOf } from './layer-reader.ts';
import type { LayerWant } from './layer-reader.ts';
import type { FoundLayer } from './manifest.ts';
import { TarReader } from './tar-reader.ts';

const stargz = 'containerd.io/snapshot/stargz/toc.digest';
const chunkedSum = [
  'io.github.containers.zstd-chunked.manifest-checksum',
  'io.containers.zstd-chunked.manifest-checksum',
];
const chunkedPlace = [
  'io.github.containers.zstd-chunked.manifest-position',
  'io.containers.zstd-chunked.manifest-position',
];

const mostToc = 64 * 1024 ** 2;
const mostTocUnpacked = 256 * 1024 ** 2;
const mostChunk = 64 * 1024 ** 2;
/** Bytes of one request: they are held. */
const mostFetched = 16 * 1024 ** 2;
/** Requests cost a round trip each: from this share of the layer on, all of it is read instead. */
const worthwhile = 0.5;
const mostRequests = 400;

interface Toc {
  readonly entries: readonly JsonObject[];
  readonly packing: 'gzip' | 'zstd';
  /** Where the last content ends. */
  readonly end: number;
}

interface Chunk {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly digest: string | null;
}

/**
 * Reads a layer by its table of contents: the table is verified against the manifest, each piece against the table.
 * @returns null where it has none, or where reading all of it is as good
 * @throws ImageError where a digest is another one
 */
export async function readByToc(layer: FoundLayer, want: LayerWant): Promise<LayerScan | null> {
  if (layer.range === undefined || layer.bytes === null || layer.digest === null) return null;
  const toc = await tocOf(layer, want);
  if (toc === null) return null;
  const plan = planOf(toc, want.deep);
  if (plan === null) return null;
  const cost = plan.reduce((sum, { chunks }) => sum + chunks.reduce((all, { from, to }) => all + to - from, 0), 0);
  const requests = plan.reduce((sum, { chunks }) => sum + groupsOf(chunks).length, 0);
  if (cost > worthwhile * layer.bytes || requests > mostRequests) return null;
  const collector = new LayerCollector(want.deep);
  let unpackedBytes = 0;
  const wanted = new Map(plan.map((each) => [each.at, each.chunks]));
  for (const [at, entry] of toc.entries.entries()) {
    const member = memberOf(entry);
    if (member === null) continue;
    unpackedBytes += member.bytes;
    const taker = collector.member(member);
    if (taker === null || member.bytes === 0) {
      taker?.end();
      continue;
    }
    for (const group of groupsOf(wanted.get(at) ?? [])) {
      const from = group[0]!.from;
      const length = group.at(-1)!.to - from;
      const packed = inside(from, length, layer.bytes) ? await layer.range(from, length) : null;
      if (packed === null) return null;
      for (const chunk of group) {
        const bytes = chunkOf(packed.subarray(chunk.from - from, chunk.to - from), chunk, toc.packing, want);
        if (bytes === null) return null;
        taker.data(bytes);
      }
    }
    taker.end();
  }
  const found = await collector.result();
  return {
    digest: layer.digest,
    diffId: null,
    bytes: layer.bytes,
    unpackedBytes,
    ...found,
    left: found.left.map((each) => `${want.place}: ${each}`),
  };
}

async function tocOf(layer: FoundLayer, want: LayerWant): Promise<Toc | null> {
  const sum = layer.annotations[stargz];
  if (sum !== undefined) return stargzToc(layer, sum, want);
  const checksum = chunkedSum.map((key) => layer.annotations[key]).find((each) => each !== undefined);
  const position = chunkedPlace.map((key) => layer.annotations[key]).find((each) => each !== undefined);
  if (checksum === undefined || position === undefined) return null;
  const [offset, length, unpacked, kind] = position.split(':').map(Number);
  if (kind !== 1 || !inside(offset, length, layer.bytes!) || !(unpacked! <= mostTocUnpacked) || length! > mostToc)
    return null;
  const packed = await layer.range!(offset!, length!);
  if (packed === null) return null;
  if (!agrees(packed, checksum)) throw damaged(want, `its table of contents has another digest than ${checksum}`);
  const bytes = unzstd(packed, unpacked!);
  if (bytes === null) throw damaged(want, 'its table of contents cannot be unpacked');
  return tocIn(bytes, 'zstd', offset!, want);
}

/** The last 51 bytes are an empty gzip member whose extra field holds the place of the table. */
async function stargzToc(layer: FoundLayer, sum: string, want: LayerWant): Promise<Toc | null> {
  const size = layer.bytes!;
  if (size < 51) return null;
  const footer = await layer.range!(size - 51, 51);
  if (footer === null) return null;
  const text = Buffer.from(footer.subarray(16, 38)).toString('latin1');
  const offset = /^[0-9a-f]{16}STARGZ$/.test(text) ? Number.parseInt(text.slice(0, 16), 16) : -1;
  if (!inside(offset, size - 51 - offset, size) || size - offset > mostToc) return null;
  const packed = await layer.range!(offset, size - 51 - offset);
  if (packed === null) return null;
  let tar: Uint8Array;
  try {
    tar = zlib.gunzipSync(packed, { maxOutputLength: mostTocUnpacked });
  } catch {
    throw damaged(want, 'its table of contents cannot be unpacked');
  }
  let json: Uint8Array | null = null;
  const reader = new TarReader((entry) => {
    if (entry.name !== 'stargz.index.json') return null;
    const parts: Uint8Array[] = [];
    return { data: (chunk) => void parts.push(chunk), end: () => void (json = Buffer.concat(parts)) };
  });
  try {
    reader.push(tar);
  } catch {
    json = null;
  }
  if (json === null) throw damaged(want, 'its table of contents cannot be read');
  if (!agrees(json, sum)) throw damaged(want, `its table of contents has another digest than ${sum}`);
  return tocIn(json, 'gzip', offset, want);
}

function tocIn(bytes: Uint8Array, packing: Toc['packing'], end: number, want: LayerWant): Toc {
  const value = objectOf(bytes, `${want.place}: its table of contents`);
  return { entries: objectsOf(value, 'entries'), packing, end };
}

/** Which pieces are fetched, by the number of the entry they belong to; null where the table does not tell. */
function planOf(toc: Toc, deep: boolean): readonly { readonly at: number; readonly chunks: readonly Chunk[] }[] | null {
  const { entries, packing, end } = toc;
  const collector = new LayerCollector(deep);
  // A piece ends where the next one begins.
  const starts = entries
    .map((entry) => numberOf(entry, 'offset'))
    .filter((offset): offset is number => offset !== null && offset > 0)
    .sort((a, b) => a - b);
  const after = (offset: number): number => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return starts[low] ?? end;
  };
  const plan: { at: number; chunks: Chunk[] }[] = [];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    const member = memberOf(entry);
    if (member === null || !collector.wants(member)) continue;
    const chunks: Chunk[] = [];
    let covered = 0;
    for (let next = at; next < entries.length; next++) {
      const piece = entries[next]!;
      if (next > at && stringOf(piece, 'type') !== 'chunk') break;
      const from = numberOf(piece, 'offset');
      if (from === null) break;
      const size = numberOf(piece, 'chunkSize') ?? 0;
      const bytes = size === 0 ? member.bytes - (numberOf(piece, 'chunkOffset') ?? 0) : size;
      const to = Math.min(after(from), (packing === 'zstd' ? numberOf(piece, 'endOffset') : null) ?? Infinity);
      const digest = stringOf(piece, 'chunkDigest') ?? (size === 0 ? stringOf(piece, 'digest') : null);
      chunks.push({ from, to, bytes, digest });
      covered += bytes;
    }
    if (covered !== member.bytes) return null;
    plan.push({ at, chunks });
  }
  return plan;
}

function memberOf(entry: JsonObject): Member | null {
  const types: Readonly<Record<string, Member['type']>> = {
    reg: 'file',
    dir: 'directory',
    symlink: 'symlink',
    hardlink: 'hardlink',
    char: 'device',
    block: 'device',
    fifo: 'fifo',
  };
  const kind = stringOf(entry, 'type') ?? '';
  const type = Object.hasOwn(types, kind) ? types[kind]! : null;
  const name = stringOf(entry, 'name');
  if (type === null || name === null) return null;
  return { name, type, bytes: numberOf(entry, 'size') ?? 0, link: stringOf(entry, 'linkName') ?? '' };
}

/** Pieces that lie one behind the other are fetched together. */
function groupsOf(chunks: readonly Chunk[]): readonly (readonly Chunk[])[] {
  const groups: Chunk[][] = [];
  for (const chunk of chunks) {
    const last = groups.at(-1);
    if (last?.at(-1)!.to === chunk.from && chunk.to - last[0]!.from <= mostFetched) last.push(chunk);
    else groups.push([chunk]);
  }
  return groups;
}

function chunkOf(packed: Uint8Array, chunk: Chunk, packing: Toc['packing'], want: LayerWant): Uint8Array | null {
  const { from, bytes, digest } = chunk;
  // Without a digest it could be anything.
  if (digest === null || bytes > mostChunk || packed.length !== chunk.to - from) return null;
  const plain = packing === 'gzip' ? ungzip(packed, bytes) : unzstd(packed, bytes);
  if (plain === null || plain.length !== bytes) return null;
  if (!agrees(plain, digest)) throw damaged(want, `the piece at byte ${from} has another digest than ${digest}`);
  return plain;
}

/** The member that a piece begins with; the header of the next file may follow in it. */
function ungzip(packed: Uint8Array, bytes: number): Uint8Array | null {
  try {
    const plain = zlib.gunzipSync(packed, {
      finishFlush: zlib.constants.Z_SYNC_FLUSH,
      maxOutputLength: bytes + 8 * 1024 ** 2,
    });
    return plain.subarray(0, bytes);
  } catch {
    return null;
  }
}

function unzstd(packed: Uint8Array, bytes: number): Uint8Array | null {
  const plain = unpackZstd(packed, bytes);
  return typeof plain === 'string' ? null : plain;
}

function agrees(bytes: Uint8Array, digest: string): boolean {
  const algorithm = algorithmOf(digest);
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}` === digest;
}

function inside(offset: number | undefined, length: number | undefined, size: number): boolean {
  return (
    Number.isSafeInteger(offset) &&
    Number.isSafeInteger(length) &&
    offset! >= 0 &&
    length! > 0 &&
    offset! + length! <= size
  );
}

function damaged(want: LayerWant, reason: string): ImageError {
  return new ImageError(
    'damaged',
    `${want.place}: ${reason}`,
    'the copy is damaged or was changed: pull or save the image again',
  );
}
