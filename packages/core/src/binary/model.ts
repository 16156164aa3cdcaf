// What a file of machine code says of itself.

/** GPU code of a file. */
export interface GpuCode {
  /** `sm_90a`: machine code, each architecture once, ascending. */
  readonly sass: readonly string[];
  /** `compute_90`: PTX, each once, ascending. */
  readonly ptx: readonly string[];
  readonly entries: readonly CodeEntry[];
}

export interface CodeEntry {
  readonly kind: 'cubin' | 'ptx' | 'lto';
  readonly arch: string;
  /** PTX ISA (`8.4`) or null. */
  readonly isa: string | null;
  readonly compression: 'none' | 'lz4' | 'zstd' | 'other';
  readonly bytes: number;
  readonly uncompressedBytes: number;
}

/** Facts of one ELF file that can be told while its bytes go by, or from ranges of it. */
export interface FileFacts {
  readonly kind: 'elf' | 'cubin' | 'fatbin' | 'archive' | 'wheel';
  readonly machine: 'x86_64' | 'aarch64' | 'ppc64le' | 'i386' | 'other' | null;
  readonly soname: string | null;
  readonly needed: readonly string[];
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** Highest GLIBC version that is needed: `2.34`. */
  readonly glibc: string | null;
  /** Which CUDA library it is, and its version, told from the file (name included): `{ name: 'cudnn', version: '9.1.0' }`. */
  readonly library: { readonly name: string; readonly version: string | null } | null;
  /** Of a libcuda: what its bytes show. */
  readonly libcuda: LibcudaFacts | null;
  /** Null where GPU code was not looked for. */
  readonly code: Pick<GpuCode, 'sass' | 'ptx'> | null;
  /** What could not be read: place and reason. */
  readonly unread: readonly { readonly offset: number; readonly reason: string }[];
}

export interface LibcudaFacts {
  /** The stub of the toolkit: every function gives CUDA_ERROR_STUB_LIBRARY. */
  readonly stub: boolean;
  /** Driver release inside the file. */
  readonly version: string | null;
  /** CUDA version inside the file: `12.2`. */
  readonly cuda: string | null;
  /** `.note.cuda.fwd_compatibility`; null without one. */
  readonly note: { readonly cuda: string | null; readonly drivers: readonly number[]; readonly text: string } | null;
}
