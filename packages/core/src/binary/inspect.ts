// One file of machine code → its entry in the report. Reads ranges; kernels are unpacked only where they are wanted.
import { isArchive, readArchive } from './archive.ts';
import { isHostSection, mayHoard } from './hoards.ts';
import { machineOfCuda, noBits, readElf } from './elf.ts';
import type { Elf, ElfSection } from './elf.ts';
import { factsOfElf, tellingTexts } from './facts.ts';
import type { ElfFacts } from './facts.ts';
import { compareArch, gpuCodeSections, isContainer } from './fatbin.ts';
import { within } from './fields.ts';
import { readGpuCode } from './gpu-code.ts';
import type { GpuCodeRead } from './gpu-code.ts';
import { readCubinKernels, readKernels, readingOf } from './kernels.ts';
import type { UnpackOptions } from './kernels.ts';
import { libraryKindOf, runtimeIn, runtimeText } from './library.ts';
import { scanLiterals } from './literals.ts';
import type { Hit } from './literals.ts';
import type { Cubin, GpuCode, Kernel, PlacedEntry, Unread } from './model.ts';
import { partOf } from './parts.ts';
import { readPtx } from './ptx.ts';
import type { BinaryFile, BinaryMember, Inspected, UnreadPlace } from './report.ts';
import type { ByteSource } from './source.ts';

/** Unpacks a raw deflate stream; ends or rejects where the stream does. */
export type Inflate = (packed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

export interface InspectOptions extends UnpackOptions {
  /** `auto`: where the unpacked code is small. */
  readonly kernels: 'none' | 'auto' | 'all';
  /** Kernels of these architectures only, as `sm_90`; all where absent. */
  readonly archs?: readonly string[];
  /** For wheels; without it deflated members are not read. */
  readonly inflate?: Inflate;
}

/** Unpacked code up to which kernels are read unasked. */
const mostUnasked = 48 * 1024 ** 2;
/** The same, always: linkers leave a cubin without kernels in every library, and that is worth knowing. */
const mostAlways = 256 * 1024;
const mostMembers = 20_000;
const mostUnread = 200;

/** What begins here: null where it is nothing that is read. */
export function kindOf(head: Uint8Array): BinaryFile['kind'] | null {
  if (head[0] === 0x7f && head[1] === 0x45 && head[2] === 0x4c && head[3] === 0x46) return 'elf';
  if (isArchive(head)) return 'archive';
  if (isContainer(head)) return 'fatbin';
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4 ? 'wheel' : null;
}

/**
 * Reads one ELF file, archive, bare fat binary, cubin or PTX text. Wheels: `inspectWheel`.
 * @returns null where it is none of these; rejects only where the source cannot be read
 */
export async function inspectPlain(
  source: ByteSource,
  path: string,
  options: InspectOptions,
): Promise<Inspected | null> {
  const head = await source.read(0, 64);
  const kind = kindOf(head);
  if (kind === 'elf') return inspectElf(source, path, options);
  if (kind === 'fatbin') return inspectFatbin(source, path, options);
  if (kind === 'archive') return inspectArchive(source, path, options);
  return kind !== null || head.includes(0) ? null : inspectPtx(source, path);
}

async function inspectPtx(source: ByteSource, path: string): Promise<Inspected | null> {
  const ptx = await readPtx(source);
  if (ptx === null) return null;
  return { ...inspected(path, 'ptx', null, ptx.code, ptx.kernels, null), unread: placed(path, ptx.unread) };
}

async function inspectElf(source: ByteSource, path: string, options: InspectOptions): Promise<Inspected | null> {
  const elf = await readElf(source);
  if (elf === null) {
    return {
      ...inspected(path, 'elf', null, noCode, null, null),
      unread: [{ path, offset: 0, reason: 'the header of an ELF file begins here and makes no sense' }],
    };
  }
  if (elf.header.machine === machineOfCuda) return inspectCubin(source, path, elf);
  const { read, ranges } = await codeOfElf(source, elf);
  const soname = libraryKindOf(null, path);
  const hits =
    read.code.entries.length > 0 || soname !== null || path.includes('.so') ? await textsOf(source, elf, ranges) : [];
  const facts = await factsOfElf(source, elf, path, {
    hits,
    code: read.code,
    runtime: hits.some((hit) => hit.literal === runtimeText) ? await runtimeOf(source, elf, ranges) : null,
    unread: read.unread,
  });
  const kernels = await kernelsOf(source, read.code.entries, options);
  return {
    ...inspected(path, 'elf', facts, read.code, kernels.list, kernels.toolkit),
    unread: placed(path, [...facts.unread, ...kernels.unread]),
    entries: read.code.entries,
  };
}

async function inspectFatbin(source: ByteSource, path: string, options: InspectOptions): Promise<Inspected> {
  const read = await readGpuCode(source, [{ offset: 0, length: source.size }]);
  const kernels = await kernelsOf(source, read.code.entries, options);
  return {
    ...inspected(path, 'fatbin', null, read.code, kernels.list, kernels.toolkit),
    unread: placed(path, [...read.unread, ...kernels.unread]),
    entries: read.code.entries,
  };
}

/** A bare cubin: its own architecture is its code; entries are of fat binaries. */
async function inspectCubin(source: ByteSource, path: string, elf: Elf): Promise<Inspected> {
  const { cubin, unread } = await readCubinKernels(source);
  const arch = cubin?.arch ?? null;
  const code: GpuCode = arch === null ? noCode : { sass: [arch], ptx: [], entries: [] };
  return {
    ...inspected(path, 'cubin', null, code, cubin?.kernels ?? [], cubin?.toolkit ?? null),
    unread: placed(path, cubin === null ? [...elf.unread, ...unread] : unread),
  };
}

async function inspectArchive(source: ByteSource, path: string, options: InspectOptions): Promise<Inspected> {
  const { members, unread } = await readArchive(source);
  const all: UnreadPlace[] = placed(path, unread);
  const parts: Inspected[] = [];
  for (const member of members.slice(0, mostMembers)) {
    const part = partOf(source, member.offset, member.size);
    const name = `${path}(${member.name})`;
    const found = await inspectMember(part, name, options);
    if (found === null) continue;
    parts.push(found);
    all.push(...found.unread.map((one) => ({ ...one, path, offset: one.offset + member.offset })));
  }
  return { ...joined(path, 'archive', parts), unread: all.slice(0, mostUnread) };
}

/** A member of an archive; an archive in an archive is not followed. */
async function inspectMember(source: ByteSource, path: string, options: InspectOptions): Promise<Inspected | null> {
  const kind = kindOf(await source.read(0, 64));
  if (kind === 'elf') return inspectElf(source, path, options);
  return kind === 'fatbin' ? inspectFatbin(source, path, options) : null;
}

/** One entry for all that is inside an archive or a wheel. */
export function joined(path: string, kind: 'archive' | 'wheel', parts: readonly Inspected[]): Inspected {
  const entries = parts.flatMap((one) => one.file.code.entries);
  const kernels = parts.every((one) => one.file.kernels !== null)
    ? parts.flatMap((one) => one.file.kernels ?? [])
    : null;
  const told = summary(entries);
  const code: GpuCode = {
    ...told,
    sass: [...new Set([...told.sass, ...parts.flatMap((one) => one.file.code.sass)])].sort(compareArch),
  };
  const members: BinaryMember[] = parts
    .filter((one) => one.file.code.entries.length > 0 || one.file.library !== null || hasCode(one.file.code))
    .map(({ file }) => ({
      path: file.path,
      soname: file.soname,
      glibc: file.glibc,
      library: file.library,
      sass: file.code.sass,
      ptx: file.code.ptx,
    }));
  const toolkits = parts.flatMap((one) => one.file.toolkit ?? []);
  const first = inspected(path, kind, null, code, kernels, highest(toolkits));
  const embedded = parts.flatMap((one) => one.file.embedded);
  return {
    ...first,
    file: {
      ...first.file,
      machine: onlyOne(parts.map((one) => one.file.machine)),
      glibc: highest(parts.flatMap((one) => one.file.glibc ?? [])),
      embedded: embedded.filter((one, i) => embedded.findIndex((other) => other.name === one.name) === i),
      members,
    },
  };
}

function onlyOne<T>(values: readonly T[]): T | null {
  const set = new Set(values);
  const [value] = set;
  return set.size === 1 && value !== undefined ? value : null;
}

function hasCode(code: GpuCode): boolean {
  return code.sass.length > 0 || code.ptx.length > 0;
}

/** The highest of dotted numbers. */
function highest(versions: readonly string[]): string | null {
  const order = (text: string): readonly number[] => text.split('.').map(Number);
  let best: string | null = null;
  for (const version of versions) {
    const a = order(version);
    const b = best === null ? [] : order(best);
    const at = a.findIndex((part, i) => part !== (b[i] ?? -1));
    if (at >= 0 && (a[at] ?? 0) > (b[at] ?? -1)) best = version;
  }
  return best;
}

const noCode: GpuCode = { sass: [], ptx: [], entries: [] };

/** What a list of entries amounts to. */
export function summary(entries: GpuCode['entries']): GpuCode {
  const archs = (kind: string): readonly string[] =>
    [...new Set(entries.filter((one) => one.kind === kind).map((one) => one.arch))].sort(compareArch);
  const lto = archs('lto');
  return { sass: archs('cubin'), ptx: archs('ptx'), ...(lto.length > 0 && { lto }), entries };
}

/** The entry of a file in the report; `unread` and `entries` are the caller's. */
export function inspected(
  path: string,
  kind: BinaryFile['kind'],
  facts: ElfFacts | null,
  code: GpuCode,
  kernels: readonly Kernel[] | null,
  toolkit: string | null,
): Inspected {
  return {
    file: {
      path,
      kind,
      machine: facts?.machine ?? null,
      soname: facts?.soname ?? null,
      needed: facts?.needed ?? [],
      rpath: facts?.rpath ?? [],
      runpath: facts?.runpath ?? [],
      glibc: facts?.glibc ?? null,
      symbolVersions: facts?.neededVersions ?? [],
      library: facts?.library ?? null,
      embedded: facts?.embedded ?? [],
      libcuda: facts?.libcuda ?? null,
      toolkit,
      code: {
        sass: code.sass,
        ptx: code.ptx,
        ...(code.lto !== undefined && { lto: code.lto }),
        // Where an entry lies is no part of the report.
        entries: code.entries.map(({ kind: what, arch, isa, compression, bytes, uncompressedBytes }) => ({
          kind: what,
          arch,
          isa,
          compression,
          bytes,
          uncompressedBytes,
        })),
      },
      kernels,
      answer: null,
    },
    unread: [],
    entries: [],
  };
}

function placed(path: string, unread: readonly Unread[]): UnreadPlace[] {
  return unread.slice(0, mostUnread).map(({ offset, reason }) => ({ path, offset, reason }));
}

interface CodeOfElf {
  readonly read: GpuCodeRead;
  /** Where GPU code lies; other bytes are the host's. */
  readonly ranges: readonly { readonly offset: number; readonly length: number }[];
}

const loadSegment = 1;

/** A hoard of code fills its section from the start; other large data are not searched. */
async function beginningWithCode(source: ByteSource, ranges: Ranges): Promise<Ranges> {
  const found: { readonly offset: number; readonly length: number }[] = [];
  for (const range of ranges) {
    if (!within(range.offset, 64, source.size)) continue;
    const bytes = await source.read(range.offset, Math.min(piece, range.length));
    for (let at = (8 - (range.offset % 8)) % 8; at + 16 <= bytes.length; at += 8) {
      if (bytes[at] !== 0x50 || !isContainer(bytes, at)) continue;
      found.push(range);
      break;
    }
  }
  return found;
}

function rangesOf(elf: Elf, wanted: (section: ElfSection) => boolean): Ranges {
  return elf.sections
    .filter((one) => one.type !== noBits && one.size > 0 && wanted(one))
    .map((one) => ({ offset: one.offset, length: one.size }));
}

/** GPU code by section; without a section table the loadable segments are searched. */
async function codeOfElf(source: ByteSource, elf: Elf): Promise<CodeOfElf> {
  if (elf.sections.some((one) => one.name !== '')) {
    const ranges = rangesOf(elf, (one) => gpuCodeSections.includes(one.name));
    const read = await readGpuCode(source, ranges);
    const hoards = await beginningWithCode(source, rangesOf(elf, mayHoard));
    if (hoards.length === 0) return { read, ranges };
    const more = await readGpuCode(source, hoards, { search: true });
    const entries: readonly PlacedEntry[] = [...read.code.entries, ...more.code.entries];
    return { read: { code: { ...summary(entries), entries }, unread: [...read.unread, ...more.unread] }, ranges };
  }
  const ranges = elf.segments
    .filter((one) => one.type === loadSegment && one.fileSize > 0)
    .map((one) => ({ offset: one.offset, length: one.fileSize }));
  const read = await readGpuCode(source, ranges, { search: true });
  const entries: readonly PlacedEntry[] = read.code.entries;
  const found = entries.map((one) => ({
    offset: one.offset,
    length: one.payloadOffset + one.bytes - one.offset,
  }));
  return { read, ranges: found };
}

const piece = 256 * 1024;
/** Data of the host that is looked through for texts, and code for the number of the runtime. */
const mostData = 128 * 1024 ** 2;
const mostCodeEnd = 32 * 1024 ** 2;

type Ranges = readonly { readonly offset: number; readonly length: number }[];

/** Parts of the file that hold data or code of the host. */
function hostRanges(source: ByteSource, elf: Elf, gpu: Ranges, code: boolean): Ranges {
  const named = elf.sections.some((one) => one.name !== '');
  const parts = named
    ? elf.sections
        .filter(
          (one) =>
            isHostSection(one, code) &&
            // Texts lie in the constants.
            (code || one.name.startsWith('.rodata') || one.name.startsWith('.lrodata')),
        )
        .map((one) => ({ offset: one.offset, length: one.size }))
    : elf.segments
        .filter((one) => one.type === loadSegment && (!code || (one.flags & 1) !== 0))
        .map((one) => ({ offset: one.offset, length: one.fileSize }));
  const gaps: { offset: number; length: number }[] = [];
  let covered = 0;
  for (const part of parts.toSorted((a, b) => a.offset - b.offset)) {
    let from = Math.max(part.offset, covered);
    const to = Math.min(part.offset + part.length, source.size);
    for (const skip of gpu) {
      if (skip.offset >= to || skip.offset + skip.length <= from) continue;
      if (skip.offset > from) gaps.push({ offset: from, length: skip.offset - from });
      from = skip.offset + skip.length;
    }
    if (to > from) gaps.push({ offset: from, length: to - from });
    covered = Math.max(covered, to);
  }
  return gaps;
}

/** Calls `take` with the host's bytes, piece by piece, until it gives false or a bound is reached. */
async function goThrough(
  source: ByteSource,
  ranges: Ranges,
  take: (bytes: Uint8Array, offset: number) => boolean,
): Promise<void> {
  let total = 0;
  for (const range of ranges) {
    for (let at = 0; at < range.length; at += piece) {
      total += piece;
      if (total > mostData) return;
      const offset = range.offset + at;
      if (!within(offset, 1, source.size)) break;
      if (!take(await source.read(offset, Math.min(piece, range.length - at)), offset)) return;
    }
  }
}

async function textsOf(source: ByteSource, elf: Elf, gpu: Ranges): Promise<readonly Hit[]> {
  const scan = scanLiterals(tellingTexts);
  await goThrough(source, hostRanges(source, elf, gpu, false), (bytes, offset) => {
    scan.push(bytes, offset);
    return true;
  });
  return scan.end();
}

async function runtimeOf(source: ByteSource, elf: Elf, gpu: Ranges): Promise<string | null> {
  let found: string | null = null;
  // Linkers put libraries behind the program's own code.
  const ends = hostRanges(source, elf, gpu, true).map(({ offset, length }) => {
    const skipped = Math.max(0, length - mostCodeEnd);
    return { offset: offset + skipped, length: length - skipped };
  });
  await goThrough(source, ends, (bytes, offset) => {
    found = runtimeIn(bytes, offset);
    return found === null;
  });
  return found;
}

/** Kernels of the entries that are wanted, and the toolkit that the cubins name. */
export async function kernelsOf(
  source: ByteSource,
  entries: readonly PlacedEntry[],
  options: InspectOptions,
): Promise<{
  readonly list: readonly Kernel[] | null;
  readonly toolkit: string | null;
  readonly unread: readonly Unread[];
}> {
  const wanted = entries.filter(
    (one) => one.kind === 'cubin' && (options.archs === undefined || options.archs.includes(one.arch)),
  );
  const unpacked = wanted.reduce((sum, one) => sum + one.uncompressedBytes, 0);
  const most = options.kernels === 'all' ? Infinity : options.kernels === 'auto' ? mostUnasked : mostAlways;
  if (unpacked > most)
    return { list: entries.length === 0 ? [] : null, toolkit: await toolkitOf(source, entries, options), unread: [] };
  const list: Kernel[] = [];
  const unread: Unread[] = [];
  const toolkits: string[] = [];
  const reading = readingOf(source.size);
  for (const entry of wanted) {
    const read = await readKernels(source, entry, { ...options, reading });
    const cubin: Cubin | null = read.cubin;
    if (unread.length < mostUnread) unread.push(...read.unread);
    // Nobody asked: what is in the way of an answer is not worth a word.
    if (cubin === null && options.kernels === 'none') return { list: null, toolkit: null, unread: [] };
    if (cubin === null) continue;
    for (const kernel of cubin.kernels) list.push(kernel);
    if (cubin.toolkit !== null) toolkits.push(cubin.toolkit);
  }
  return { list, toolkit: highest(toolkits), unread: options.kernels === 'none' ? [] : unread };
}

const mostForToolkit = 4 * 1024 ** 2;

/** The toolkit that the smallest cubin names: one is enough where no kernel is wanted. */
async function toolkitOf(
  source: ByteSource,
  entries: readonly PlacedEntry[],
  options: InspectOptions,
): Promise<string | null> {
  let least: PlacedEntry | null = null;
  for (const entry of entries) {
    if (entry.kind === 'cubin' && entry.uncompressedBytes < (least?.uncompressedBytes ?? mostForToolkit)) least = entry;
  }
  return least === null ? null : ((await readKernels(source, least, options)).cubin?.toolkit ?? null);
}
