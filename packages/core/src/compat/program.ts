import type { CudaRange } from './cuda-range.ts';

/** GPU code in a program, as target names without prefix. */
export interface Code {
  /** Compute capabilities with machine code: `80`, `90a`. */
  readonly sass: readonly string[];
  /** Compute capabilities with PTX. */
  readonly ptx: readonly string[];
  /** The list was read in a source. */
  readonly confirmed: boolean;
}

/** What is to run: CUDA version and, where known, the code inside. */
export interface Program {
  /** How messages call it: `torch 2.7.0+cu128`, `a CUDA 12.4 program`. */
  readonly label: string;
  /** Null: not known. */
  readonly cuda: CudaRange | null;
  /** Why `cuda` is not known, and what would tell. */
  readonly unknown: { readonly message: string; readonly needs: string; readonly missing: string } | null;
  /** Null: contents not known. */
  readonly code: Code | null;
  /** The contents decide but no table has them. */
  readonly codeUnknown: string | null;
  /** Lowest compute capability that it supports, as sm number. */
  readonly minSm: number | null;
  /** Built without CUDA. */
  readonly cpuOnly: boolean;
  /** `wheel` and `binary` bring their code with them; of a `toolkit` program and an `image` the contents are open. */
  readonly kind: 'toolkit' | 'wheel' | 'binary' | 'image';
  /** The CUDA version is what a table says for certain. */
  readonly confirmed: boolean;
  /** What would hold code for other GPUs. */
  readonly otherBuilds: readonly OtherBuild[];
  readonly restsOn: readonly string[];
}

/** A sibling build of a wheel. */
export interface OtherBuild {
  readonly label: string;
  readonly code: Code;
}
