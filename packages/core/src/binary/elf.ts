// ELF files: header, sections and segments, of both classes and byte orders.
// System V gABI, chapters 4 and 5: https://gabi.xinuos.com ; constants: elf.h of glibc.
import { viewOf } from './bytes.ts';
import { hex, stringsOf, u64, within } from './fields.ts';
import type { Unread } from './model.ts';
import type { ByteSource } from './source.ts';

export interface ElfHeader {
  readonly bits: 32 | 64;
  readonly little: boolean;
  readonly osAbi: number;
  readonly abiVersion: number;
  /** ET_REL 1, ET_EXEC 2, ET_DYN 3. */
  readonly type: number;
  readonly machine: number;
  readonly version: number;
  readonly flags: number;
  /** Offsets of the two tables; null where the field holds what no file can. */
  readonly segmentsAt: number | null;
  readonly segmentSize: number;
  readonly segmentCount: number;
  readonly sectionsAt: number | null;
  readonly sectionSize: number;
  readonly sectionCount: number;
  readonly namesIndex: number;
}

/** A section. `offset` and `size` are as the file says; check them with `within` before use. */
export interface ElfSection {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly entrySize: number;
}

export interface ElfSegment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
}

export interface Elf {
  readonly header: ElfHeader;
  /** Empty where the file has no section table, or none that can be read. */
  readonly sections: readonly ElfSection[];
  readonly segments: readonly ElfSegment[];
  readonly unread: readonly Unread[];
}

export const machineOfCuda = 190;
/** SHT_NOBITS: a size in memory, no bytes in the file. */
export const noBits = 8;

/** Longest table that is read: 262,144 sections. */
const mostTable = 16 * 1024 ** 2;

/** Bytes that the largest header has. */
const headerLength = 64;

/** Reads the file header; null where the bytes are none of an ELF file. */
export function parseElfHeader(bytes: Uint8Array): ElfHeader | null {
  if (bytes.length < 52 || bytes[0] !== 0x7f || bytes[1] !== 0x45 || bytes[2] !== 0x4c || bytes[3] !== 0x46)
    return null;
  const bits = bytes[4] === 1 ? 32 : bytes[4] === 2 ? 64 : null;
  const order = bytes[5];
  if (bits === null || (order !== 1 && order !== 2) || (bits === 64 && bytes.length < headerLength)) return null;
  const little = order === 1;
  const view = viewOf(bytes);
  const u16 = (at: number): number => view.getUint16(at, little);
  const u32 = (at: number): number => view.getUint32(at, little);
  const at = bits === 64 ? 48 : 36;
  return {
    bits,
    little,
    osAbi: bytes[7] ?? 0,
    abiVersion: bytes[8] ?? 0,
    type: u16(16),
    machine: u16(18),
    version: u32(20),
    segmentsAt: bits === 64 ? u64(view, 32, little) : u32(28),
    sectionsAt: bits === 64 ? u64(view, 40, little) : u32(32),
    flags: u32(at),
    segmentSize: u16(at + 6),
    segmentCount: u16(at + 8),
    sectionSize: u16(at + 10),
    sectionCount: u16(at + 12),
    namesIndex: u16(at + 14),
  };
}

/** Sections of a table, not yet named: `name` is still the number of a string. */
interface RawSection {
  readonly nameAt: number;
  readonly section: Omit<ElfSection, 'name'>;
}

function rawSection(view: DataView, at: number, header: ElfHeader): RawSection {
  const { little } = header;
  const u32 = (offset: number): number => view.getUint32(at + offset, little);
  const wide = (offset: number): number => u64(view, at + offset, little) ?? Number.MAX_SAFE_INTEGER;
  const nameAt = u32(0);
  return header.bits === 64
    ? {
        nameAt,
        section: {
          type: u32(4),
          flags: view.getUint32(at + (little ? 8 : 12), little),
          address: wide(16),
          offset: wide(24),
          size: wide(32),
          link: u32(40),
          info: u32(44),
          entrySize: wide(56),
        },
      }
    : {
        nameAt,
        section: {
          type: u32(4),
          flags: u32(8),
          address: u32(12),
          offset: u32(16),
          size: u32(20),
          link: u32(24),
          info: u32(28),
          entrySize: u32(36),
        },
      };
}

function segmentAt(view: DataView, at: number, header: ElfHeader): ElfSegment {
  const { little } = header;
  const u32 = (offset: number): number => view.getUint32(at + offset, little);
  const wide = (offset: number): number => u64(view, at + offset, little) ?? Number.MAX_SAFE_INTEGER;
  return header.bits === 64
    ? { type: u32(0), flags: u32(4), offset: wide(8), address: wide(16), fileSize: wide(32) }
    : { type: u32(0), offset: u32(4), address: u32(8), fileSize: u32(16), flags: u32(24) };
}

/** A place of the file that the reader wants; answered with its bytes. */
interface Want {
  readonly offset: number;
  readonly length: number;
}

/** One reader for sources and for bytes in memory: it yields places and is given their bytes. */
function* reading(size: number): Generator<Want, Elf | null, Uint8Array> {
  const first = yield { offset: 0, length: Math.min(headerLength, size) };
  const header = parseElfHeader(first);
  if (header === null) return null;
  const unread: Unread[] = [];
  const least = header.bits === 64 ? { section: 64, segment: 56 } : { section: 40, segment: 32 };
  let { sectionCount, namesIndex, segmentCount } = header;
  let sections: ElfSection[] = [];
  if (header.sectionsAt === null || header.sectionsAt > 0) {
    const at = header.sectionsAt;
    if (at === null || header.sectionSize < least.section || !within(at, header.sectionSize, size)) {
      unread.push({
        offset: header.bits === 64 ? 40 : 32,
        reason: `the section table is said to lie at ${at === null ? '2^53 or beyond' : hex(at)}, outside the ${size} bytes of the file`,
      });
    } else {
      // Counts that do not fit 16 bits stand in the first section (gABI, "Extended numbering").
      const zero = rawSection(viewOf(yield { offset: at, length: header.sectionSize }), 0, header).section;
      if (sectionCount === 0) sectionCount = zero.size;
      if (namesIndex === 0xffff) namesIndex = zero.link;
      if (segmentCount === 0xffff && zero.info > 0) segmentCount = zero.info;
      const length = sectionCount * header.sectionSize;
      if (length > mostTable || !within(at, length, size)) {
        unread.push({
          offset: at,
          reason: `${sectionCount} sections are said to be here: more than the file can hold`,
        });
      } else if (sectionCount > 0) {
        const table = viewOf(yield { offset: at, length });
        const raw = Array.from({ length: sectionCount }, (_, i) => rawSection(table, i * header.sectionSize, header));
        const strings = raw[namesIndex]?.section;
        let names: Uint8Array = new Uint8Array(0);
        if (strings !== undefined && strings.type !== noBits && within(strings.offset, strings.size, size)) {
          names = yield { offset: strings.offset, length: Math.min(strings.size, mostTable) };
        } else if (sectionCount > 1) {
          unread.push({ offset: at, reason: 'the names of the sections lie outside the file' });
        }
        const nameOf = stringsOf(names);
        sections = raw.map(({ nameAt, section }) => ({ name: nameOf(nameAt), ...section }));
      }
    }
  }
  const segments: ElfSegment[] = [];
  if (segmentCount > 0) {
    const at = header.segmentsAt;
    const length = segmentCount * header.segmentSize;
    if (header.segmentSize < least.segment || length > mostTable || !within(at, length, size) || at === null) {
      unread.push({
        offset: header.bits === 64 ? 32 : 28,
        reason: `${segmentCount} segments are said to lie at ${at === null ? '2^53 or beyond' : hex(at)}, outside the ${size} bytes of the file`,
      });
    } else {
      const table = viewOf(yield { offset: at, length });
      for (let i = 0; i < segmentCount; i += 1) segments.push(segmentAt(table, i * header.segmentSize, header));
    }
  }
  return { header, sections, segments, unread };
}

/**
 * Reads header, sections and segments of a file.
 * @returns null where it is no ELF file; what of it could not be read stands in `unread`
 */
export async function readElf(source: ByteSource): Promise<Elf | null> {
  const steps = reading(source.size);
  let step = steps.next();
  while (step.done !== true) {
    const want = step.value;
    step = steps.next(padded(await source.read(want.offset, want.length), want.length));
  }
  return step.value;
}

/** As `readElf`, of a file that is in memory: a cubin. */
export function elfOf(bytes: Uint8Array): Elf | null {
  const steps = reading(bytes.length);
  let step = steps.next();
  while (step.done !== true) {
    const want = step.value;
    step = steps.next(bytes.subarray(want.offset, want.offset + want.length));
  }
  return step.value;
}

/** A source that shrank while it was read gives fewer bytes than it promised. */
function padded(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length >= length) return bytes;
  const whole = new Uint8Array(length);
  whole.set(bytes);
  return whole;
}

/** The first section of a name. */
export function sectionNamed(elf: Elf, name: string): ElfSection | null {
  return elf.sections.find((section) => section.name === name) ?? null;
}
