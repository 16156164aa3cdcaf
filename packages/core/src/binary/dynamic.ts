// What the dynamic section tells the loader: names, search paths, versions of symbols. Found by program header, so that
// stripped files work. System V gABI chapter 5; symbol versions: "ELF Symbol Versioning" by U. Drepper, and elf.h of glibc.
import { viewOf } from './bytes.ts';
import { hex, stringAt, u64, within } from './fields.ts';
import type { Elf } from './elf.ts';
import type { NeededVersions, Unread } from './model.ts';
import type { ByteSource } from './source.ts';

export interface Dynamic {
  readonly soname: string | null;
  readonly needed: readonly string[];
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** Highest GLIBC version that is needed; null where none is. */
  readonly glibc: string | null;
  readonly neededVersions: readonly NeededVersions[];
  /** Values of other entries, as addresses, by tag. */
  readonly addresses: ReadonlyMap<number, number>;
  readonly unread: readonly Unread[];
}

const tag = { needed: 1, strings: 5, stringBytes: 10, soname: 14, rpath: 15, runpath: 29 } as const;
const tagVersionsNeeded = 0x6ffffffe;
const tagVersionsNeededCount = 0x6fffffff;
const dynamicSegment = 2;
const dynamicSection = 6;
const loadSegment = 1;

const mostEntries = 4096;
const mostNames = 4096;
const mostVersions = 4096;
const longestString = 4096;

const nothing: Dynamic = {
  soname: null,
  needed: [],
  rpath: [],
  runpath: [],
  glibc: null,
  neededVersions: [],
  addresses: new Map(),
  unread: [],
};

/** Place in the file of an address in memory; null where no segment holds it. */
export function offsetOf(elf: Elf, address: number): number | null {
  for (const segment of elf.segments) {
    if (
      segment.type === loadSegment &&
      address >= segment.address &&
      address - segment.address < segment.fileSize &&
      segment.offset <= Number.MAX_SAFE_INTEGER - segment.fileSize
    ) {
      return address - segment.address + segment.offset;
    }
  }
  return null;
}

/** Where the dynamic section lies, as far as the file says; null without one. */
export function dynamicPlace(elf: Elf): { readonly offset: number; readonly length: number } | null {
  const segment = elf.segments.find((one) => one.type === dynamicSegment);
  if (segment !== undefined) return { offset: segment.offset, length: segment.fileSize };
  const section = elf.sections.find((one) => one.type === dynamicSection);
  return section === undefined ? null : { offset: section.offset, length: section.size };
}

/** Entries of the dynamic section: tag and value, up to the one that ends them. */
export function dynamicEntries(bytes: Uint8Array, elf: Elf): readonly (readonly [tag: number, value: number])[] {
  const view = viewOf(bytes);
  const { bits, little } = elf.header;
  const step = bits === 64 ? 16 : 8;
  const entries: (readonly [number, number])[] = [];
  for (let at = 0; at + step <= bytes.length && entries.length < mostEntries; at += step) {
    const name = bits === 64 ? u64(view, at, little) : view.getUint32(at, little);
    const value = bits === 64 ? u64(view, at + 8, little) : view.getUint32(at + 4, little);
    if (name === 0) break;
    if (name !== null && value !== null) entries.push([name, value]);
  }
  return entries;
}

/** Reads the dynamic section. Files without one (objects, static programs) have nothing. Rejects only with the source. */
export async function readDynamic(source: ByteSource, elf: Elf): Promise<Dynamic> {
  const place = dynamicPlace(elf);
  if (place === null || place.length === 0) return nothing;
  if (!within(place.offset, place.length, source.size)) {
    return {
      ...nothing,
      unread: [{ offset: place.offset, reason: 'the dynamic section is said to lie outside the file' }],
    };
  }
  const length = Math.min(place.length, mostEntries * 16);
  const entries = dynamicEntries(await source.read(place.offset, length), elf);
  const addresses = new Map(entries);
  const unread: Unread[] = [];
  const strings = stringsAt(source, elf, addresses, unread);
  const names = async (wanted: number): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const [name, value] of entries) {
      if (name !== wanted || found.length >= mostNames) continue;
      const text = await strings(value);
      if (text !== null) found.push(text);
    }
    return found;
  };
  const paths = async (wanted: number): Promise<readonly string[]> =>
    (await names(wanted)).flatMap((list) => list.split(':'));
  const neededVersions = await versionsNeeded(source, elf, addresses, strings, unread);
  const [soname] = await names(tag.soname);
  return {
    soname: soname ?? null,
    needed: await names(tag.needed),
    rpath: await paths(tag.rpath),
    runpath: await paths(tag.runpath),
    glibc: highestGlibc(neededVersions.flatMap((one) => one.versions)),
    neededVersions,
    addresses,
    unread,
  };
}

type Strings = (at: number) => Promise<string | null>;

function stringsAt(source: ByteSource, elf: Elf, addresses: ReadonlyMap<number, number>, unread: Unread[]): Strings {
  const address = addresses.get(tag.strings);
  const size = addresses.get(tag.stringBytes) ?? 0;
  const offset = address === undefined ? null : offsetOf(elf, address);
  if (offset === null) {
    if (address !== undefined)
      unread.push({ offset: 0, reason: `the string table at address ${hex(address)} lies in no segment` });
    return async () => null;
  }
  return async (at) => {
    if (at >= size || !within(offset + at, 1, source.size)) {
      unread.push({ offset, reason: `a name is said to stand ${at} bytes into a table of ${size}` });
      return null;
    }
    for (const length of [256, longestString]) {
      const most = Math.min(length, size - at, source.size - offset - at);
      const bytes = await source.read(offset + at, most);
      if (bytes.length === 0) {
        unread.push({ offset: offset + at, reason: 'a name stands here that was not held while the file went by' });
        return null;
      }
      if (bytes.includes(0) || most < length) return stringAt(bytes, 0, length);
    }
    unread.push({ offset: offset + at, reason: `a name of more than ${longestString} bytes` });
    return null;
  };
}

async function versionsNeeded(
  source: ByteSource,
  elf: Elf,
  addresses: ReadonlyMap<number, number>,
  strings: Strings,
  unread: Unread[],
): Promise<readonly NeededVersions[]> {
  const address = addresses.get(tagVersionsNeeded);
  const from = address === undefined ? null : offsetOf(elf, address);
  if (from === null || !within(from, 16, source.size)) return [];
  const { little } = elf.header;
  const block = await source.read(from, Math.min(256 * 1024, source.size - from));
  const view = viewOf(block);
  const files = Math.min(addresses.get(tagVersionsNeededCount) ?? 0, mostNames);
  const result: NeededVersions[] = [];
  let total = 0;
  let at = 0;
  for (let i = 0; i < files && at + 16 <= block.length; i += 1) {
    const count = view.getUint16(at + 2, little);
    const library = await strings(view.getUint32(at + 4, little));
    const versions: string[] = [];
    let aux = at + view.getUint32(at + 8, little);
    for (let j = 0; j < count && aux + 16 <= block.length && total < mostVersions; j += 1) {
      total += 1;
      const name = await strings(view.getUint32(aux + 8, little));
      if (name !== null) versions.push(name);
      const next = view.getUint32(aux + 12, little);
      if (next === 0) break;
      aux += next;
    }
    if (library !== null) result.push({ library, versions });
    const next = view.getUint32(at + 12, little);
    if (next === 0) break;
    at += next;
  }
  if (total >= mostVersions) unread.push({ offset: from, reason: `more than ${mostVersions} versions of symbols` });
  return result;
}

/** `2.34` of `GLIBC_2.2.5`, `GLIBC_2.34`. `GLIBC_ABI_DT_RELR` came with glibc 2.36 (its NEWS). */
export function highestGlibc(versions: readonly string[]): string | null {
  let highest: readonly number[] | null = null;
  for (const name of versions) {
    const text = name === 'GLIBC_ABI_DT_RELR' ? '2.36' : name.startsWith('GLIBC_') ? name.slice(6) : '';
    if (!/^\d{1,3}(?:\.\d{1,4}){1,3}$/.test(text)) continue;
    const parts = text.split('.').map(Number);
    if (highest === null || later(parts, highest)) highest = parts;
  }
  return highest === null ? null : highest.join('.');
}

function later(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
