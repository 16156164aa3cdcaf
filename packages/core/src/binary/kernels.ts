// Kernels and their resources, from the cubins of a source. One entry is unpacked at a time.
import { parseCubin } from './cubin.ts';
import { demangleBudget, demangle } from './demangle.ts';
import { unpackLz4 } from './lz4.ts';
import type { Cubin, PlacedEntry, Unread } from './model.ts';
import type { ByteSource } from './source.ts';
import { unpackZstd } from './zstd.ts';

/** Kernels of one entry or one bare cubin. */
export interface KernelsRead {
  /** Null where the bytes are no cubin that can be read; `unread` says why. */
  readonly cubin: Cubin | null;
  readonly unread: readonly Unread[];
}

/** How entries are unpacked. */
export interface UnpackOptions {
  /**
   * Zstandard of the host, which may be faster: the bytes, exactly `size` of them, or why they cannot be had. The one
   * of this package is used without it.
   */
  readonly zstd?: (packed: Uint8Array, size: number) => Uint8Array | string;
  /** What the entries of one file share; without it each is bounded by itself. */
  readonly reading?: Reading;
}

/** What reading the kernels of one file may still cost, and the names that were told already. */
export interface Reading {
  unpackedBytes: number;
  readonly nameOf: (symbol: string) => string;
}

/** Largest code that is unpacked; the largest cubin seen in a public library has 42 MiB. */
const mostUnpacked = 96 * 1024 ** 2;
const mostRead = 16 * 1024 ** 2;
/** Unpacked bytes for each byte of a file, and of the smallest one. Real code shrinks to a tenth at most. */
const unpackedForEach = 64;
const unpackedAtLeast = 128 * 1024 ** 2;

/** Begins reading the kernels of a file, or of a part of it, of `size` bytes. */
export function readingOf(size: number): Reading {
  const names = new Map<string, string>();
  const budget = demangleBudget();
  return {
    unpackedBytes: unpackedAtLeast + size * unpackedForEach,
    nameOf: (symbol) => {
      const known = names.get(symbol);
      if (known !== undefined) return known;
      const name = demangle(symbol, budget);
      names.set(symbol, name);
      return name;
    },
  };
}

/**
 * Bytes of one entry as the compiler wrote them: a cubin, or PTX with zeros behind it.
 * @returns a string that says why they cannot be had; rejects where the source cannot be read
 */
export async function unpackEntry(
  source: ByteSource,
  entry: PlacedEntry,
  options: UnpackOptions = {},
): Promise<Uint8Array | string> {
  if (entry.kind === 'lto') return 'intermediate code for link-time optimisation is scrambled: it is only listed';
  const { compression, payloadBytes, uncompressedBytes: size } = entry;
  if (compression === 'other') return 'this code is packed by a scheme of an early toolkit that is not known';
  if (Math.max(payloadBytes, size) > mostUnpacked)
    return `this code has ${Math.max(payloadBytes, size)} bytes; at most ${mostUnpacked} are unpacked`;
  if (options.reading !== undefined) {
    options.reading.unpackedBytes -= size;
    if (options.reading.unpackedBytes < 0)
      return 'the code of this file unpacks to far more than code does; no more is unpacked';
  }
  const packed = await readAll(source, entry.payloadOffset, payloadBytes);
  if (packed.length < payloadBytes) return 'the file ends inside this code';
  if (compression === 'none') return packed;
  return compression === 'lz4' ? unpackLz4(packed, size) : (options.zstd ?? unpackZstd)(packed, size);
}

/**
 * Kernels of one entry of a fat binary; unpacks that entry alone. An entry of PTX or LTO-IR gives no cubin.
 * Never rejects for what the bytes say; rejects where the source cannot be read.
 */
export async function readKernels(
  source: ByteSource,
  entry: PlacedEntry,
  options: UnpackOptions = {},
): Promise<KernelsRead> {
  if (entry.kind !== 'cubin') return { cubin: null, unread: [] };
  const bytes = await unpackEntry(source, entry, options);
  if (typeof bytes === 'string') return { cubin: null, unread: [{ offset: entry.offset, reason: bytes }] };
  return placed(
    parseCubin(bytes, entry.arch, options.reading?.nameOf),
    entry.payloadOffset,
    entry.compression !== 'none',
  );
}

/** Kernels of a bare cubin: an ELF file of machine 190 that is the whole source. */
export async function readCubinKernels(source: ByteSource): Promise<KernelsRead> {
  if (source.size > mostUnpacked)
    return {
      cubin: null,
      unread: [{ offset: 0, reason: `this cubin has ${source.size} bytes; at most ${mostUnpacked} are read` }],
    };
  return parseCubin(await readAll(source, 0, source.size));
}

/** Offsets of a cubin inside its file; inside packed code there are none, so the entry's own stands for all. */
function placed(read: KernelsRead, base: number, packed: boolean): KernelsRead {
  return {
    cubin: read.cubin,
    unread: read.unread.map(({ offset, reason }) =>
      packed
        ? { offset: base, reason: `${reason} (at ${offset} of the unpacked code)` }
        : { offset: base + offset, reason },
    ),
  };
}

async function readAll(source: ByteSource, offset: number, length: number): Promise<Uint8Array> {
  if (length <= mostRead) return source.read(offset, length);
  const whole = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const piece = await source.read(offset + filled, Math.min(mostRead, length - filled));
    if (piece.length === 0) return whole.subarray(0, filled);
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole;
}
