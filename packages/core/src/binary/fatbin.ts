// Fat binaries: containers of GPU code for several architectures, as nvcc puts them into `.nv_fatbin` and
// `__nv_relfatbin` of an ELF file or into a file of their own. Only headers are read here; code is never unpacked.
//
//   50 ed 55 ba 01 00 10 00  f8 16 00 00 00 00 00 00    container: magic, version 1, header of 16 bytes, bytes of entries
//   02 00 01 01 40 00 00 00  88 08 00 00 00 00 00 00    entry: kind 2 (cubin), header of 64 bytes, payload of 0x888 bytes
//   00 00 00 00 00 00 00 00  08 00 01 00 50 00 00 00    not compressed; version 1.8; arch 80
//   …
// https://docs.nvidia.com/cuda/cuda-binary-utilities/ names the sections; the fields were read from files made by
// fatbinary of CUDA 11.8 to 13.0 and agree with https://github.com/n-eiling/cuda-fatbin-decompression
import { readUnsigned64, viewOf } from './bytes.ts';
import type { CodeEntry } from './model.ts';

/** Sections of an ELF file that hold containers one after another. */
export const gpuCodeSections: readonly string[] = ['.nv_fatbin', '__nv_relfatbin', '.nv_fatb'];

/** Bytes of a container's header. */
export const containerHeaderBytes = 16;

/** Bytes of an entry's header that are always there; a longer one says so in its size field. */
export const entryHeaderBytes = 64;

/** Containers begin at multiples of this; zeros fill the gap. */
export const containerAlignment = 8;

const containerMagic = 0xba55ed50;

/** Header of a container. The next container lies `headerBytes + bodyBytes` further (then aligned). */
export interface ContainerHeader {
  readonly headerBytes: number;
  /** Entries with their headers. */
  readonly bodyBytes: number;
}

/** Header of an entry. The next entry lies `headerBytes + bytes` further. */
export interface EntryHeader extends Omit<CodeEntry, 'kind'> {
  /** `other`: a form that no known tool writes any more; its arch is `sm_…`. */
  readonly kind: CodeEntry['kind'] | 'other';
  readonly headerBytes: number;
  /** Payload without padding. */
  readonly payloadBytes: number;
}

/** True where a container's header begins. */
export function isContainer(bytes: Uint8Array, at: number = 0): boolean {
  return (
    bytes[at] === 0x50 &&
    bytes[at + 1] === 0xed &&
    bytes[at + 2] === 0x55 &&
    bytes[at + 3] === 0xba &&
    bytes[at + 4] === 1 &&
    bytes[at + 5] === 0
  );
}

/**
 * Header of the container at `at`; a string says why there is none. Takes 16 bytes.
 */
export function parseContainerHeader(bytes: Uint8Array, at: number = 0): ContainerHeader | string {
  if (at < 0 || at + containerHeaderBytes > bytes.length) return 'the header of a container of GPU code is cut off';
  const view = viewOf(bytes);
  if (view.getUint32(at, true) !== containerMagic) return 'no container of GPU code begins here';
  const version = view.getUint16(at + 4, true);
  if (version !== 1) return `container of GPU code in version ${version}; only version 1 is known`;
  const headerBytes = view.getUint16(at + 6, true);
  if (headerBytes < containerHeaderBytes)
    return `header of a container of GPU code says ${headerBytes} bytes, 16 are the least`;
  return { headerBytes, bodyBytes: readUnsigned64(view, at + 8) };
}

const flagLz4 = 0x2000;
const flagZstd = 0x8000;
const flagOlderScheme = 0x1000;
const flagArchSpecific = 0x10_0000;
const flagFamilySpecific = 0x20_0000;

const kinds: Readonly<Record<number, EntryHeader['kind']>> = { 1: 'ptx', 2: 'cubin', 4: 'cubin', 8: 'lto' };
const archPrefixes: Readonly<Record<EntryHeader['kind'], string>> = {
  ptx: 'compute_',
  cubin: 'sm_',
  lto: 'lto_',
  other: 'sm_',
};

/**
 * Header of the entry at `at`; a string says why there is none. Takes 64 bytes. Whether the entry fits its container is
 * for the caller to see.
 */
export function parseEntryHeader(bytes: Uint8Array, at: number = 0): EntryHeader | string {
  if (at < 0 || at + entryHeaderBytes > bytes.length) return 'the header of an entry of GPU code is cut off';
  const view = viewOf(bytes);
  const headerBytes = view.getUint32(at + 4, true);
  if (headerBytes < entryHeaderBytes)
    return `header of an entry of GPU code says ${headerBytes} bytes, 64 are the least`;
  const kind = kinds[view.getUint16(at, true)] ?? 'other';
  const stored = readUnsigned64(view, at + 8);
  const compressedBytes = view.getUint32(at + 16, true);
  const flags = view.getUint32(at + 40, true);
  const compression = compressionOf(flags, compressedBytes);
  const suffix = (flags & flagArchSpecific) !== 0 ? 'a' : (flags & flagFamilySpecific) !== 0 ? 'f' : '';
  return {
    kind,
    arch: `${archPrefixes[kind]}${view.getUint32(at + 28, true)}${suffix}`,
    isa: kind === 'ptx' ? `${view.getUint16(at + 26, true)}.${view.getUint16(at + 24, true)}` : null,
    compression,
    headerBytes,
    bytes: stored,
    payloadBytes: compression !== 'none' && compressedBytes > 0 && compressedBytes <= stored ? compressedBytes : stored,
    uncompressedBytes: compression === 'none' ? stored : readUnsigned64(view, at + 56),
  };
}

function compressionOf(flags: number, compressedBytes: number): CodeEntry['compression'] {
  if ((flags & flagZstd) !== 0) return 'zstd';
  if ((flags & flagLz4) !== 0) return 'lz4';
  return (flags & flagOlderScheme) !== 0 || compressedBytes > 0 ? 'other' : 'none';
}

/** Order of architectures: `sm_90` before `sm_90a` before `sm_100`. */
export function compareArch(left: string, right: string): number {
  const [leftNumber, leftSuffix] = archParts(left);
  const [rightNumber, rightSuffix] = archParts(right);
  return leftNumber - rightNumber || (leftSuffix < rightSuffix ? -1 : leftSuffix > rightSuffix ? 1 : 0);
}

function archParts(arch: string): readonly [number, string] {
  const match = /_(\d{1,10})([a-z]?)$/.exec(arch);
  return match === null ? [0, arch] : [Number(match[1]), match[2] ?? ''];
}
