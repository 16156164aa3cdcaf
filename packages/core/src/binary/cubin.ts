// Cubins: ELF files of machine 190 with one `.text.<kernel>` for each kernel. Two layouts are in use: the old one
// (OS/ABI 0x33, ABI version 7), and that of CUDA 13 (0x41, 8). https://docs.nvidia.com/cuda/cuda-binary-utilities/ ;
// flags: https://github.com/llvm/llvm-project/blob/main/llvm/include/llvm/BinaryFormat/ELF.h
import { viewOf } from './bytes.ts';
import { demangle, demangleBudget } from './demangle.ts';
import { elfOf, machineOfCuda, noBits } from './elf.ts';
import type { Elf, ElfHeader, ElfSection } from './elf.ts';
import type { Cubin, Kernel, Unread } from './model.ts';
import { nvInfo, readNvInfo, shapeOf, wordOf } from './nvinfo.ts';
import type { NvInfoRecord } from './nvinfo.ts';

const newAbiVersion = 8;
const functionSymbol = 2;
/** Bit of `st_other` that makes a function a kernel. */
const kernelBit = 0x10;
const symbolTable = 2;
const symbolIndexTable = 18;
const extendedIndex = 0xffff;
/** Bytes that the system keeps of each block's shared memory from sm_90 on. */
const reservedShared = 1024;
const noRegisterCap = 255;

const mostKernels = 100_000;
const mostNameBytes = 16 * 1024;
const mostNamesTogether = 32 * 1024 ** 2;

/** A function symbol of the file. */
interface Symbol {
  readonly index: number;
  readonly nameAt: number;
  readonly section: number;
}

/** Sections and records that belong to one `.text.` section. */
interface Belongings {
  readonly info: ElfSection[];
  shared: number;
  constant: number | null;
}

/** Numbers of `.nv.info`, by symbol. */
interface Counts {
  readonly registers: Map<number, number>;
  readonly frame: Map<number, number>;
  readonly stack: Map<number, number>;
  cudaVersion: number | null;
}

/**
 * Reads a cubin that is in memory. Never throws.
 * @param arch the architecture where an entry of a fat binary says it: its suffix is not in every cubin
 * @param nameOf C++ name of a symbol, where the caller knows names already
 * @returns null where the bytes are no cubin; offsets of `unread` count from its first byte
 */
export function parseCubin(
  bytes: Uint8Array,
  arch: string | null = null,
  nameOf: (symbol: string) => string = namesWithin(demangleBudget()),
): { readonly cubin: Cubin | null; readonly unread: readonly Unread[] } {
  const elf = elfOf(bytes);
  if (elf === null || elf.header.machine !== machineOfCuda || !elf.header.little)
    return { cubin: null, unread: [{ offset: 0, reason: 'this is no cubin: no ELF file for a GPU begins here' }] };
  const unread: Unread[] = [...elf.unread];
  const bytesOf = (section: ElfSection): Uint8Array => {
    if (section.type === noBits) return new Uint8Array(0);
    if (section.offset > bytes.length || section.size > bytes.length - section.offset) {
      if (unread.length < 20)
        unread.push({
          offset: Math.min(section.offset, bytes.length),
          reason: `section ${section.name} goes past the end of the cubin`,
        });
      return new Uint8Array(0);
    }
    return bytes.subarray(section.offset, section.offset + section.size);
  };
  const damaged =
    (section: ElfSection) =>
    (at: number): void => {
      if (unread.length < 20)
        unread.push({
          offset: section.offset + at,
          reason: `section ${section.name} holds a record that cannot be read`,
        });
    };
  const note = noteOf(elf, bytesOf);
  const counts = countsOf(elf, bytesOf, damaged);
  const name = arch ?? archOf(elf.header, note);
  const number = Number(/\d+/.exec(name)?.[0] ?? 0);
  const { symbols, names } = kernelSymbols(elf, bytesOf);
  const belongings = belongingsOf(elf);
  const kernels: Kernel[] = [];
  let nameBytes = 0;
  for (const symbol of symbols) {
    const text = names === null ? '' : longString(names, symbol.nameAt);
    nameBytes += text.length;
    if (kernels.length >= mostKernels || nameBytes > mostNamesTogether) {
      unread.push({ offset: 0, reason: `more kernels than are read: the first ${kernels.length} are given` });
      break;
    }
    if (text === '') continue;
    const own = belongings.get(symbol.section);
    const records = (own?.info ?? []).flatMap((section) => [...readNvInfo(bytesOf(section), damaged(section))]);
    const section = elf.sections[symbol.section];
    kernels.push({
      name: text,
      demangled: nameOf(text),
      arch: name,
      registers: counts.registers.get(symbol.index) ?? registersOf(section),
      staticSharedBytes: section === undefined ? null : staticShared(own?.shared ?? 0, number),
      constantBytes: own?.constant ?? null,
      localBytes: counts.frame.get(symbol.index) ?? null,
      ...resources(records, elf.header.abiVersion >= newAbiVersion ? 0 : ((section?.flags ?? 0) >>> 20) & 0x7f),
      ...(counts.stack.has(symbol.index) && { stackBytes: counts.stack.get(symbol.index)! }),
    });
  }
  return {
    cubin: {
      arch: name,
      abi: elf.header.abiVersion >= newAbiVersion ? 'new' : 'old',
      toolkit: note?.toolkit ?? versionOf(counts.cudaVersion ?? elf.header.version),
      kernels,
    },
    unread,
  };
}

/** What the notes of the new layout say. */
interface ToolNote {
  readonly toolkit: string | null;
  readonly arch: string | null;
}

/** `.note.nv.tkinfo`: tool, version, build and options as strings, of each tool that had a hand in it. */
function noteOf(elf: Elf, bytesOf: (section: ElfSection) => Uint8Array): ToolNote | null {
  const section = elf.sections.find(({ name }) => name === '.note.nv.tkinfo');
  if (section === undefined) return null;
  const text = new TextDecoder('latin1').decode(bytesOf(section).subarray(0, 65_536));
  const toolkit = /\bV(\d{1,3}\.\d{1,3}\.\d{1,5})\b/.exec(text)?.[1] ?? null;
  return { toolkit, arch: /-arch[ =](sm_\d{2,4}[af]?)\b/.exec(text)?.[1] ?? null };
}

function archOf(header: ElfHeader, note: ToolNote | null): string {
  if (header.abiVersion < newAbiVersion) return `sm_${header.flags & 0xff}${(header.flags & 0x800) !== 0 ? 'a' : ''}`;
  const plain = `sm_${(header.flags >>> 8) & 0xff}`;
  const told = note?.arch ?? null;
  if (told !== null && told.replace(/[af]$/, '') === plain) return told;
  return (header.flags & 8) !== 0 ? `${plain}a` : plain;
}

/** 118 is 11.8. */
function versionOf(tenfold: number): string | null {
  return tenfold >= 50 && tenfold < 1000 ? `${Math.floor(tenfold / 10)}.${tenfold % 10}` : null;
}

type Damaged = (section: ElfSection) => (at: number) => void;

function countsOf(elf: Elf, bytesOf: (section: ElfSection) => Uint8Array, damaged: Damaged): Counts {
  const counts: Counts = { registers: new Map(), frame: new Map(), stack: new Map(), cudaVersion: null };
  for (const section of elf.sections) {
    if (section.name !== '.nv.info') continue;
    for (const record of readNvInfo(bytesOf(section), damaged(section))) {
      const [symbol, value] = [wordOf(record, 0), wordOf(record, 1)];
      if (record.code === nvInfo.cudaVersion) counts.cudaVersion = symbol;
      if (symbol === null || value === null) continue;
      if (record.code === nvInfo.registers) counts.registers.set(symbol, value);
      else if (record.code === nvInfo.frameSize) counts.frame.set(symbol, value);
      else if (record.code === nvInfo.minStackSize || record.code === nvInfo.maxStackSize)
        counts.stack.set(symbol, Math.max(value, counts.stack.get(symbol) ?? 0));
    }
  }
  return counts;
}

/** Symbols of kernels, in the order of the table, and the strings that name them. */
function kernelSymbols(
  elf: Elf,
  bytesOf: (section: ElfSection) => Uint8Array,
): { readonly symbols: readonly Symbol[]; readonly names: Uint8Array | null } {
  const at = elf.sections.findIndex(({ type }) => type === symbolTable);
  const table = elf.sections[at];
  const strings = table === undefined ? undefined : elf.sections[table.link];
  if (table === undefined || strings === undefined) return { symbols: [], names: null };
  const wide = elf.header.bits === 64;
  const size = wide ? 24 : 16;
  const bytes = bytesOf(table);
  const view = viewOf(bytes);
  const further = elf.sections.find(({ type, link }) => type === symbolIndexTable && link === at);
  const indices = further === undefined ? null : viewOf(bytesOf(further));
  const symbols: Symbol[] = [];
  for (let i = 0; (i + 1) * size <= bytes.length && symbols.length <= mostKernels; i += 1) {
    const from = i * size;
    const info = bytes[from + (wide ? 4 : 12)]!;
    const other = bytes[from + (wide ? 5 : 13)]!;
    if ((info & 15) !== functionSymbol || (other & kernelBit) === 0) continue;
    let section = view.getUint16(from + (wide ? 6 : 14), true);
    if (section === extendedIndex && indices !== null && (i + 1) * 4 <= indices.byteLength)
      section = indices.getUint32(i * 4, true);
    if (section !== 0) symbols.push({ index: i, nameAt: view.getUint32(from, true), section });
  }
  return { symbols, names: bytesOf(strings) };
}

/** Sections of kernels, by the index of the `.text.` section they name. */
function belongingsOf(elf: Elf): ReadonlyMap<number, Belongings> {
  const found = new Map<number, Belongings>();
  for (const section of elf.sections) {
    const kind = /^\.nv\.(info|shared|constant0)\./.exec(section.name)?.[1];
    if (kind === undefined || !(elf.sections[section.info]?.name.startsWith('.text.') ?? false)) continue;
    const own = found.get(section.info) ?? { info: [], shared: 0, constant: null };
    if (kind === 'info') own.info.push(section);
    else if (kind === 'shared') own.shared = section.size;
    else own.constant = section.size;
    found.set(section.info, own);
  }
  return found;
}

/** Cubins of early toolkits have the count in the section's header alone; later ones leave it 0 there. */
function registersOf(section: ElfSection | undefined): number | null {
  const count = (section?.info ?? 0) >>> 24;
  return count === 0 ? null : count;
}

function staticShared(size: number, arch: number): number {
  return arch >= 90 && size >= reservedShared ? size - reservedShared : size;
}

/** What the records of one kernel say. */
function resources(
  records: readonly NvInfoRecord[],
  barriersOfSection: number,
): Pick<Kernel, 'barriers' | 'maxThreads' | 'requiredThreads' | 'cluster' | 'parameterBytes' | 'registerCap'> {
  const last = (code: number): NvInfoRecord | undefined => records.findLast((record) => record.code === code);
  const shape = (code: number): readonly [number, number, number] | null => {
    const record = last(code);
    return record === undefined ? null : shapeOf(record);
  };
  const bounds = shape(nvInfo.maxThreads);
  const required = shape(nvInfo.requiredThreads);
  const cluster = shape(nvInfo.blocksPerCluster);
  const cap = last(nvInfo.registerCap)?.value ?? noRegisterCap;
  const parameters = last(nvInfo.parameterBytes)?.value ?? null;
  const limit = required ?? bounds;
  return {
    barriers: last(nvInfo.barriers)?.value ?? barriersOfSection,
    maxThreads: limit === null ? null : limit[0] * limit[1] * limit[2],
    ...(required !== null && { requiredThreads: required }),
    ...(cluster !== null && { cluster }),
    ...(parameters !== null && { parameterBytes: parameters }),
    ...(cap !== noRegisterCap && { registerCap: cap }),
  };
}

function longString(bytes: Uint8Array, at: number): string {
  const end = bytes.indexOf(0, at);
  const stop = Math.min(end < 0 ? bytes.length : end, at + mostNameBytes);
  return new TextDecoder().decode(bytes.subarray(at, stop));
}

function namesWithin(budget: ReturnType<typeof demangleBudget>): (symbol: string) => string {
  return (symbol) => demangle(symbol, budget);
}
