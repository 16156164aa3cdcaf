// What a file of machine code says of itself.

/** GPU code of a file. */
export interface GpuCode {
  /** `sm_90a`: machine code, each architecture once, ascending. */
  readonly sass: readonly string[];
  /** `compute_90`: PTX, each once, ascending. */
  readonly ptx: readonly string[];
  /** `lto_90`: intermediate code that only the linker of the driver can use, each once, ascending. Absent without any. */
  readonly lto?: readonly string[];
  readonly entries: readonly CodeEntry[];
}

export interface CodeEntry {
  readonly kind: 'cubin' | 'ptx' | 'lto';
  readonly arch: string;
  /** PTX ISA (`8.4`) or null. */
  readonly isa: string | null;
  readonly compression: 'none' | 'lz4' | 'zstd' | 'other';
  /** Bytes in the file, padding included. */
  readonly bytes: number;
  readonly uncompressedBytes: number;
}

/** An entry and where its bytes lie in the source it was read from. */
export interface PlacedEntry extends CodeEntry {
  /** Of the entry's header. */
  readonly offset: number;
  readonly payloadOffset: number;
  /** Bytes at `payloadOffset` that are the payload itself; `bytes` may have padding behind them. */
  readonly payloadBytes: number;
}

/** One kernel of one cubin: what the compiler decided for it. Null where the file does not say. */
export interface Kernel {
  /** The symbol, as the linker has it. */
  readonly name: string;
  /** As C++ writes it; the symbol itself where it is no C++ name or cannot be read. */
  readonly demangled: string;
  /** `sm_90a` */
  readonly arch: string;
  /** A thread. */
  readonly registers: number | null;
  /** A block, without the 1,024 bytes that the system reserves from sm_90 on. */
  readonly staticSharedBytes: number | null;
  /** Constant bank 0: the launch's own values and the parameters. */
  readonly constantBytes: number | null;
  /** A thread: its stack frame. */
  readonly localBytes: number | null;
  /** Named barriers a block uses. */
  readonly barriers: number | null;
  /** Threads a block may have by the launch bounds or the required shape; null where neither was given. */
  readonly maxThreads: number | null;
  /** Shape that the launch must have (`reqntid`). */
  readonly requiredThreads?: readonly [number, number, number];
  /** Blocks of a cluster, where the kernel fixes it. */
  readonly cluster?: readonly [number, number, number];
  readonly parameterBytes?: number;
  /** Registers that the compiler was held to (`maxrregcount`, launch bounds); absent without a cap. */
  readonly registerCap?: number;
  /** Stack of the kernel and what it calls, as far as the compiler knows it. */
  readonly stackBytes?: number;
}

/** What a cubin says of itself. */
export interface Cubin {
  readonly arch: string;
  /** CUDA 13's layout or the one before. */
  readonly abi: 'old' | 'new';
  /** Toolkit that made it: `13.0.88` or `11.8`; null where it does not say. */
  readonly toolkit: string | null;
  readonly kernels: readonly Kernel[];
}

/** A place that could not be read, and why. */
export interface Unread {
  readonly offset: number;
  readonly reason: string;
}

/** Versions of symbols that a file needs from one library: `libc.so.6`, `GLIBC_2.34`. */
export interface NeededVersions {
  readonly library: string;
  readonly versions: readonly string[];
}

/** Facts of one ELF file that can be told while its bytes go by, or from ranges of it. */
export interface FileFacts {
  readonly kind: 'elf' | 'cubin' | 'fatbin' | 'archive' | 'wheel' | 'ptx';
  readonly machine: 'x86_64' | 'aarch64' | 'ppc64le' | 'i386' | 'other' | null;
  readonly soname: string | null;
  readonly needed: readonly string[];
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** Highest GLIBC version that is needed: `2.34`. */
  readonly glibc: string | null;
  /** Which CUDA library it is, and its version, told from the file (name included): `{ name: 'cudnn', version: '9.1.0' }`. */
  readonly library: { readonly name: string; readonly version: string | null } | null;
  /** Libraries that are linked into it: NCCL, the CUDA runtime. Absent without any. */
  readonly embedded?: readonly { readonly name: string; readonly version: string | null }[];
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
