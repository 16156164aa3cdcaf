// Which CUDA library a file is, and its version as its own bytes and its name tell.
import type { Dynamic } from './dynamic.ts';
import { machineOf } from './machine.ts';
import type { Elf } from './elf.ts';
import { builtNumbers, calledPlaces, movedNumbers, writtenNumber } from './immediates.ts';
import { libraryKinds } from './library-kinds.rows.ts';
import type { LibraryKind } from './library-kinds.rows.ts';
import { viewOf } from './bytes.ts';
import type { Hit } from './literals.ts';
import type { ByteSource } from './source.ts';
import { findExported } from './symbols.ts';
import type { Exported } from './symbols.ts';
import { within } from './fields.ts';

const kindsByName: ReadonlyMap<string, LibraryKind> = new Map(libraryKinds.map((kind) => [kind.name, kind]));

/** Symbols that any kind of library is asked for: a file that passes by keeps their bytes. */
export const versionSymbols: readonly string[] = [
  ...new Set([...libraryKinds.flatMap((kind) => kind.symbols), 'cudaRuntimeGetVersion', 'cuInit']),
];

/** Bytes of a function that are looked at. */
export const mostCode = 2048;

/** Texts that tell versions. */
export const releaseText = 'Cuda compilation tools, release ';
export const ncclText = 'NCCL version ';
export const runtimeText = 'CUDA driver version is insufficient for CUDA runtime version';
export const driverTexts: readonly string[] = [
  'nvidia-application-profiles-',
  'libnvidia-pkcs11.so.',
  'libnvidia-pkcs11-openssl3.so.',
];

/** The kind of library that a SONAME or file name is of; null for others. `major` is the number behind `.so.`. */
export function libraryKindOf(
  soname: string | null,
  path: string,
): { readonly kind: LibraryKind; readonly major: number | null } | null {
  for (const name of [soname ?? '', baseName(path)]) {
    const at = name.indexOf('.so');
    if (!name.startsWith('lib') || at < 0) continue;
    const kind = kindsByName.get(name.slice(3, at));
    if (kind === undefined) continue;
    const major = /^\.so\.(\d{1,4})(?:\.|$)/.exec(name.slice(at, at + 12))?.[1];
    return { kind, major: major === undefined ? null : Number(major) };
  }
  return null;
}

/** Last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `12.4.5.8` of `libcublas.so.12.4.5.8`; a SONAME (`libcudart.so.11.0`) is no version. */
export function versionOfName(path: string): string | null {
  const match = /\.so\.(\d{1,4}(?:\.\d{1,4}){2,4})$/.exec(baseName(path).slice(-64));
  return match?.[1] ?? null;
}

/**
 * A version that is written as a number: 90100 is 9.1.0, 8902 is 8.9.2, 12301 is 12.3.1. The major, which the SONAME
 * tells, says by which scheme. Null where the number is no version of this major.
 */
export function decodeVersion(value: number, major: number): string | null {
  for (const factor of [10_000, 1000]) {
    if (Math.floor(value / factor) !== major) continue;
    const rest = value % factor;
    return `${major}.${Math.floor(rest / 100)}.${rest % 100}`;
  }
  return null;
}

/** `12.4` of 12040, the way CUDA writes its own version. */
export function decodeCuda(value: number): string | null {
  const minor = (value % 1000) / 10;
  return value >= 6000 && value < 30_000 && Number.isInteger(minor) && minor < 10
    ? `${Math.floor(value / 1000)}.${minor}`
    : null;
}

/** Version from the bytes of a library of this kind. Null where they do not tell. */
export async function versionOfBytes(
  source: ByteSource,
  elf: Elf,
  dynamic: Dynamic,
  kind: LibraryKind,
  major: number | null,
  hits: readonly Hit[],
): Promise<string | null> {
  if (kind.text === 'nccl') {
    const text = ncclVersion(hits);
    if (text !== null) return text;
  }
  if (kind.text === 'release') return release(hits)?.full ?? null;
  if (kind.text === 'runtime') return runtimeVersion(source, elf, dynamic);
  const found = new Set<string>();
  for (const name of kind.symbols) {
    const symbol = await findExported(source, elf, dynamic, name);
    if (symbol === null || major === null) continue;
    const bytes = await codeOf(source, symbol);
    const isObject = symbol.size === 4;
    const values = isObject ? [packedNumber(bytes, elf)] : numbersIn(bytes, elf);
    for (const value of values) {
      const version = isObject ? decodePacked(value, major) : decodeVersion(value, major);
      if (version !== null) found.add(version);
    }
    if (found.size > 0) break;
  }
  const [only] = found;
  return found.size === 1 ? (only ?? null) : null;
}

/** A version in the bytes of one number, as the parts of cuDNN hold it: 0x090100 is 9.1.0. */
function decodePacked(value: number, major: number): string | null {
  return value >>> 16 === major ? `${major}.${(value >>> 8) & 0xff}.${value & 0xff}` : null;
}

function packedNumber(bytes: Uint8Array, elf: Elf): number {
  return bytes.length < 4 ? 0 : viewOf(bytes).getUint32(0, elf.header.little);
}

function numbersIn(bytes: Uint8Array, elf: Elf): readonly number[] {
  const machine = machineOf(elf);
  if (machine === 'x86_64') return movedNumbers(bytes);
  return machine === 'aarch64' ? builtNumbers(bytes) : [];
}

/** Code of a function, or bytes of an object; nothing where they are not to be had. */
export async function codeOf(source: ByteSource, symbol: Exported): Promise<Uint8Array> {
  const length = Math.min(symbol.size, mostCode);
  if (!within(symbol.offset, length, source.size)) return new Uint8Array(0);
  return source.read(symbol.offset, length);
}

/** CUDA version of a libcudart: the number that the function behind `cudaRuntimeGetVersion` writes. */
async function runtimeVersion(source: ByteSource, elf: Elf, dynamic: Dynamic): Promise<string | null> {
  const symbol = await findExported(source, elf, dynamic, 'cudaRuntimeGetVersion');
  if (symbol === null || machineOf(elf) !== 'x86_64') return null;
  const code = await codeOf(source, symbol);
  const direct = writtenNumber(code);
  if (direct !== null) return decodeCuda(direct);
  for (const place of new Set(calledPlaces(code))) {
    const at = symbol.offset + place;
    if (!within(at, 16, source.size)) continue;
    const value = writtenNumber(await source.read(at, 16));
    const version = value === null ? null : decodeCuda(value);
    if (version !== null) return version;
  }
  return null;
}

/** `2.21.5+cuda12.4` of NCCL's own line. */
export function ncclVersion(hits: readonly Hit[]): string | null {
  for (const hit of hits) {
    if (hit.literal !== ncclText) continue;
    const match = /^\d{1,2}\.\d{1,3}(?:\.\d{1,3}){0,2}(?:\+cuda\d{1,2}\.\d{1,2})?/.exec(hit.rest);
    if (match !== null) return match[0].split('+')[0] ?? null;
  }
  return null;
}

/** `12.4` and `12.4.127` of the line that the compilers print. */
export function release(hits: readonly Hit[]): { readonly cuda: string; readonly full: string } | null {
  for (const hit of hits) {
    if (hit.literal !== releaseText) continue;
    const match = /^(\d{1,2}\.\d{1,2}), V(\d{1,2}\.\d{1,2}\.\d{1,4})/.exec(hit.rest);
    if (match?.[1] !== undefined && match[2] !== undefined) return { cuda: match[1], full: match[2] };
  }
  return null;
}

/** The fuller of two versions that agree. Where they do not, the bytes count: a file can be renamed. */
export function agreed(ofBytes: string | null, ofName: string | null): string | null {
  if (ofBytes === null) return ofName;
  if (ofName === null) return ofBytes;
  return ofName === ofBytes || ofName.startsWith(`${ofBytes}.`) ? ofName : ofBytes;
}

const alignment = 16;
/** First bytes of the functions that write a version, as a typed array of this machine shows them. */
const [testWord, endbrWord] = new Int32Array(
  Uint8Array.of(0x48, 0x85, 0xff, 0x74, 0xf3, 0x0f, 0x1e, 0xfa).buffer,
) as unknown as readonly [number, number];

/** CUDA version that a function writes which begins in these bytes; functions begin at multiples of 16. */
export function runtimeIn(bytes: Uint8Array, offset: number): string | null {
  const first = (alignment - (offset % alignment)) % alignment;
  const aligned = (bytes.byteOffset + first) % 4 === 0 && first < bytes.length;
  const words = aligned ? new Int32Array(bytes.buffer, bytes.byteOffset + first, (bytes.length - first) >> 2) : null;
  for (let i = first; i + 11 <= bytes.length; i += alignment) {
    if (words !== null) {
      i = first + nextFunction(words, (i - first) >> 2) * 4;
      if (i + 11 > bytes.length) return null;
    }
    const value = writtenNumber(bytes, i);
    const version = value === null ? null : decodeCuda(value);
    if (version !== null) return version;
  }
  return null;
}

function nextFunction(words: Int32Array, from: number): number {
  let at = from;
  while (at < words.length && words[at] !== testWord && words[at] !== endbrWord) at += 4;
  return at;
}
