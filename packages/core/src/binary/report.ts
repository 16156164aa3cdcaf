// The nouns of `culprit binary`.
import type { FileFacts, GpuCode, Kernel, NeededVersions, PlacedEntry, Unread } from './model.ts';

/** One file of `culprit/binary@1`. */
export interface BinaryFile {
  readonly path: string;
  readonly kind: FileFacts['kind'];
  readonly machine: FileFacts['machine'];
  readonly soname: string | null;
  readonly needed: readonly string[];
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  readonly glibc: string | null;
  readonly symbolVersions: readonly NeededVersions[];
  readonly library: FileFacts['library'];
  readonly embedded: NonNullable<FileFacts['embedded']>;
  readonly libcuda: FileFacts['libcuda'];
  /** CUDA version of the toolkit that made the code, as cubins or PTX tell; null where they do not. */
  readonly toolkit: string | null;
  readonly code: GpuCode;
  /** Null where kernels were not asked for. */
  readonly kernels: readonly Kernel[] | null;
  /** Answer to `--on`; null without it, and where there is no GPU code. */
  readonly answer: BinaryAnswer | null;
  /** Files inside an archive or a wheel that hold GPU code or are CUDA libraries. */
  readonly members?: readonly BinaryMember[];
}

/** A file inside an archive or a wheel. */
export interface BinaryMember {
  readonly path: string;
  readonly soname: string | null;
  readonly glibc: string | null;
  readonly library: FileFacts['library'];
  readonly sass: readonly string[];
  readonly ptx: readonly string[];
}

/** Which code of a file a GPU would use. */
export interface BinaryAnswer {
  readonly gpu: string;
  readonly computeCapability: string;
  readonly answer: 'runs' | 'runs-if' | 'does-not-run' | 'cannot-tell';
  /** What the driver would take; null where nothing fits. */
  readonly code: 'sass' | 'ptx' | null;
  /** `sm_90`, `compute_80`. */
  readonly target: string | null;
  /** Lowest driver that serves it, as far as the tables know. */
  readonly driver: string | null;
  readonly message: string;
  /** Digits are a CUDA error code. */
  readonly errorSeen: string | null;
  readonly restsOn: readonly string[];
}

/** A file that could not be read, or a part of it. */
export interface UnreadPlace extends Unread {
  readonly path: string;
}

/** `culprit/binary@1` */
export interface BinaryReport {
  readonly schema: 'culprit/binary@1';
  readonly files: readonly BinaryFile[];
  readonly unread: readonly UnreadPlace[];
}

/** What reading one file gave, before it is asked about a GPU. */
export interface Inspected {
  readonly file: BinaryFile;
  readonly unread: readonly UnreadPlace[];
  /** Where the entries lie, of a file that can be read again. */
  readonly entries: readonly PlacedEntry[];
}
