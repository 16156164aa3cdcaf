// PTX: the text from which a driver compiles code for its GPU.
//
//   .version 9.0
//   .target sm_90a, texmode_independent
//   .address_size 64
//   .visible .entry _Z3addPf(
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/ , "PTX Module Directives" and "Kernel and Function Directives"
import { demangle, demangleBudget } from './demangle.ts';
import type { GpuCode, Kernel, Unread } from './model.ts';
import type { ByteSource } from './source.ts';

/** What a PTX module says of itself. */
export interface PtxModule {
  /** PTX ISA: `9.0`. */
  readonly version: string;
  /** `compute_90a` */
  readonly arch: string;
  /** Symbols of its kernels, in their order. */
  readonly kernels: readonly string[];
}

/** The directives stand at the beginning, behind comments. */
const headBytes = 64 * 1024;
const mostKernels = 20_000;
const mostBytes = 16 * 1024 ** 2;

/** Reads a module; null where the bytes are no PTX. Never throws. */
export function parsePtx(bytes: Uint8Array): PtxModule | null {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, headBytes));
  const version = /^[ \t]{0,40}\.version[ \t]{1,40}(\d{1,3}\.\d{1,3})\b/m.exec(head)?.[1];
  const target = /^[ \t]{0,40}\.target[ \t]{1,40}sm_(\d{2,4}[af]?)\b/m.exec(head)?.[1];
  if (version === undefined || target === undefined) return null;
  const kernels: string[] = [];
  const entry = /^[ \t]{0,40}(?:\.(?:visible|weak|extern)[ \t]{1,40})?\.entry[ \t]{1,40}([\w$.%]{1,4096})/gm;
  for (const match of new TextDecoder('latin1').decode(bytes).matchAll(entry)) {
    if (kernels.length >= mostKernels) break;
    kernels.push(match[1]!);
  }
  return { version, arch: `compute_${target}`, kernels };
}

/** A file of PTX text. What its kernels need is decided only when they are compiled: they have names alone. */
export interface PtxFile {
  readonly code: GpuCode;
  readonly kernels: readonly Kernel[];
  readonly unread: readonly Unread[];
}

/** Reads a file of PTX text; null where it is none. Rejects only where the source cannot be read. */
export async function readPtx(source: ByteSource): Promise<PtxFile | null> {
  if (parsePtx(await source.read(0, Math.min(source.size, headBytes))) === null) return null;
  const ptx = parsePtx(await source.read(0, Math.min(source.size, mostBytes)));
  if (ptx === null) return null;
  const { arch, version: isa } = ptx;
  const bytes = source.size;
  const budget = demangleBudget();
  return {
    code: {
      sass: [],
      ptx: [arch],
      entries: [{ kind: 'ptx', arch, isa, compression: 'none', bytes, uncompressedBytes: bytes }],
    },
    kernels: ptx.kernels.map((name) => ({ ...unknownResources, name, demangled: demangle(name, budget), arch })),
    unread:
      bytes > mostBytes
        ? [{ offset: mostBytes, reason: `PTX of ${bytes} bytes; kernels of the first ${mostBytes} are listed` }]
        : [],
  };
}

const unknownResources = {
  registers: null,
  staticSharedBytes: null,
  constantBytes: null,
  localBytes: null,
  barriers: null,
  maxThreads: null,
} as const;
