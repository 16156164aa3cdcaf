// Kernels and their resources, from the cubins of a source.

import type { Cubin, Kernel, PlacedEntry, Unread } from './model.ts';
import type { ByteSource } from './source.ts';

/** Kernels of one entry or one bare cubin. */
export interface KernelsRead {
  /** Null where the bytes are no cubin that can be read; `unread` says why. */
  readonly cubin: Cubin | null;
  readonly unread: readonly Unread[];
}

/**
 * Kernels of one entry of a fat binary; unpacks that entry alone. An entry that is no cubin has none.
 * Never rejects for what the bytes say; rejects where the source cannot be read.
 */
export async function readKernels(source: ByteSource, entry: PlacedEntry): Promise<KernelsRead> {
  await source.read(entry.offset, 0);
  throw new Error('not there yet');
}

/** Kernels of a bare cubin: an ELF file of machine 190 that is the whole source. */
export async function readCubinKernels(source: ByteSource): Promise<KernelsRead> {
  await source.read(0, 0);
  throw new Error('not there yet');
}

/** True where a user who writes `wanted` means this kernel: its symbol, its C++ name in full or without arguments. */
export function isKernelNamed(kernel: Pick<Kernel, 'name' | 'demangled'>, wanted: string): boolean {
  return kernel.name === wanted || kernel.demangled === wanted;
}
