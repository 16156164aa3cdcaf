// Lists the GPU code of a file by its headers: read one, hop over the code, read the next.
import type { GpuCode, PlacedEntry, Unread } from './model.ts';
import type { ByteSource } from './source.ts';

/** Part of a source. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** GPU code of a source, where each entry lies, and what could not be read. */
export interface GpuCodeRead {
  readonly code: GpuCode & { readonly entries: readonly PlacedEntry[] };
  readonly unread: readonly Unread[];
}

/**
 * GPU code in `ranges` of a source: sections named in `gpuCodeSections`, or the whole of a bare fat binary.
 * `search`: the ranges are loadable segments of a file without a section table, in which containers lie anywhere.
 * Never rejects for what the bytes say; rejects where the source cannot be read.
 */
export async function readGpuCode(
  source: ByteSource,
  ranges: readonly ByteRange[],
  options: { readonly search?: boolean } = {},
): Promise<GpuCodeRead> {
  await source.read(0, 0);
  throw new Error(`not there yet: ${ranges.length} ${options.search === true}`);
}
