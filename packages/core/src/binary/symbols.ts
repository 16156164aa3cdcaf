// Finds exported symbols by the hash table that the loader uses, so that stripped files work and little is read.
// DT_GNU_HASH: https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html ; DT_HASH: System V gABI chapter 5.
import { viewOf } from './bytes.ts';
import { offsetOf } from './dynamic.ts';
import type { Dynamic } from './dynamic.ts';
import type { Elf } from './elf.ts';
import { stringAt, u64, within } from './fields.ts';
import type { ByteSource } from './source.ts';

/** A symbol that the file defines. */
export interface Exported {
  readonly name: string;
  /** Its place in the file. */
  readonly offset: number;
  readonly size: number;
}

const tagHash = 4;
const tagStrings = 5;
const tagSymbols = 6;
const tagGnuHash = 0x6ffffef5;
/** Longest chain that is followed. */
const mostLinks = 4096;

/** Finds symbols by name; null where the file exports none of it. Rejects only with the source. */
export async function findExported(
  source: ByteSource,
  elf: Elf,
  dynamic: Dynamic,
  name: string,
): Promise<Exported | null> {
  const place = (tag: number): number | null => {
    const address = dynamic.addresses.get(tag);
    return address === undefined ? null : offsetOf(elf, address);
  };
  const symbols = place(tagSymbols);
  const strings = place(tagStrings);
  if (symbols === null || strings === null) return null;
  const table: Table = { source, elf, symbols, strings };
  const gnu = place(tagGnuHash);
  if (gnu !== null) return viaGnuHash(table, gnu, name);
  const plain = place(tagHash);
  return plain === null ? null : viaHash(table, plain, name);
}

interface Table {
  readonly source: ByteSource;
  readonly elf: Elf;
  readonly symbols: number;
  readonly strings: number;
}

async function words(table: Table, offset: number, count: number): Promise<readonly number[] | null> {
  if (!within(offset, count * 4, table.source.size)) return null;
  const bytes = await table.source.read(offset, count * 4);
  if (bytes.length < count * 4) return null;
  const view = viewOf(bytes);
  return Array.from({ length: count }, (_, i) => view.getUint32(i * 4, table.elf.header.little));
}

async function viaGnuHash(table: Table, at: number, name: string): Promise<Exported | null> {
  const head = await words(table, at, 4);
  if (head === null) return null;
  const [buckets, first, bloomWords] = head as [number, number, number, number];
  if (buckets === 0) return null;
  let hash = 5381;
  for (let i = 0; i < name.length; i += 1) hash = (Math.imul(hash, 33) + name.charCodeAt(i)) >>> 0;
  const bucketsAt = at + 16 + bloomWords * (table.elf.header.bits / 8);
  const [start] = (await words(table, bucketsAt + (hash % buckets) * 4, 1)) ?? [0];
  if (start === undefined || start < first) return null;
  const chainAt = bucketsAt + buckets * 4;
  for (let i = 0; i < mostLinks; i += 1) {
    const [link] = (await words(table, chainAt + (start - first + i) * 4, 1)) ?? [];
    if (link === undefined) return null;
    if (link >>> 1 === hash >>> 1) {
      const found = await symbolAt(table, start + i, name);
      if (found !== null) return found;
    }
    if ((link & 1) === 1) return null;
  }
  return null;
}

async function viaHash(table: Table, at: number, name: string): Promise<Exported | null> {
  const [buckets, links] = (await words(table, at, 2)) ?? [0, 0];
  if (buckets === undefined || links === undefined || buckets === 0) return null;
  let hash = 0;
  for (let i = 0; i < name.length; i += 1) {
    hash = ((hash << 4) + name.charCodeAt(i)) >>> 0;
    const top = hash & 0xf000_0000;
    hash = (hash ^ (top >>> 24)) & ~top;
  }
  let [index] = (await words(table, at + 8 + ((hash >>> 0) % buckets) * 4, 1)) ?? [];
  for (let i = 0; i < mostLinks && index !== undefined && index !== 0 && index < links; i += 1) {
    const found = await symbolAt(table, index, name);
    if (found !== null) return found;
    [index] = (await words(table, at + 8 + (buckets + index) * 4, 1)) ?? [];
  }
  return null;
}

async function symbolAt(table: Table, index: number, name: string): Promise<Exported | null> {
  const { source, elf } = table;
  const step = elf.header.bits === 64 ? 24 : 16;
  const at = table.symbols + index * step;
  if (!within(at, step, source.size)) return null;
  const bytes = await source.read(at, step);
  if (bytes.length < step) return null;
  const symbol = parseSymbol(bytes, 0, elf);
  if (symbol.section === 0 || symbol.address === null || symbol.size === null) return null;
  const textAt = table.strings + symbol.nameAt;
  if (!within(textAt, name.length + 1, source.size)) return null;
  if (stringAt(await source.read(textAt, name.length + 1), 0, name.length + 1) !== name) return null;
  const offset = offsetOf(elf, symbol.address);
  return offset === null ? null : { name, offset, size: symbol.size };
}

/** One symbol of a table. */
export interface RawSymbol {
  readonly nameAt: number;
  readonly info: number;
  readonly other: number;
  /** 0: it is only asked for. */
  readonly section: number;
  readonly address: number | null;
  readonly size: number | null;
}

/** Reads the symbol at `at`, whose bytes are there. */
export function parseSymbol(bytes: Uint8Array, at: number, elf: Elf): RawSymbol {
  const view = viewOf(bytes);
  const { bits, little } = elf.header;
  return bits === 64
    ? {
        nameAt: view.getUint32(at, little),
        info: bytes[at + 4] ?? 0,
        other: bytes[at + 5] ?? 0,
        section: view.getUint16(at + 6, little),
        address: u64(view, at + 8, little),
        size: u64(view, at + 16, little),
      }
    : {
        nameAt: view.getUint32(at, little),
        address: view.getUint32(at + 4, little),
        size: view.getUint32(at + 8, little),
        info: bytes[at + 12] ?? 0,
        other: bytes[at + 13] ?? 0,
        section: view.getUint16(at + 14, little),
      };
}
