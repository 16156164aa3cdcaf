import type { Layer, Owner } from '../model/layer.ts';
import type { Cited } from './row.types.ts';

/** A CUDA error code; runtime and driver share the numbers. */
export interface CudaErrorRow extends Cited {
  readonly code: number;
  /** Runtime name; null: driver only. */
  readonly runtime: string | null;
  /** Driver name; null: runtime only. */
  readonly driver: string | null;
  /** Text that cudaGetErrorString gives, verbatim. */
  readonly string: string;
  /** Text of older releases, where it differs. */
  readonly stringOlder: string | null;
  readonly class: string;
  /** Layer that usually made it; null: success or no one layer. */
  readonly layer: Layer | null;
  readonly owner: Owner;
  /** The context is lost: every later call fails and the process must end. */
  readonly sticky: boolean;
  /** Facts of the host are needed to tell who is to blame. */
  readonly needsHostFacts: boolean;
  readonly deprecated: boolean;
  /** Not in the text table of the CUDA 12.4 runtime: needs newer headers. */
  readonly newer: boolean;
  readonly meaning: string;
}

/** A status of a CUDA library. */
export interface LibraryStatusRow extends Cited {
  /** `cudnn8`, `cudnn9`, `cublas`, `cufft`, `cusolver`, `cusparse`, `nvrtc`, `nvjitlink`, `npp`, `curand`, `nvvm`, `dcgm`. */
  readonly library: string;
  readonly code: number;
  readonly name: string;
  readonly owner: Owner;
  readonly needsHostFacts: boolean;
  readonly meaning: string;
}

export interface StatusLibraryRow extends Cited {
  readonly library: string;
  /** Name of the C type. */
  readonly type: string;
  /** Releases that the codes hold for. */
  readonly applies: string;
  readonly layer: Layer;
  readonly note: string | null;
}

export interface NcclResultRow extends Cited {
  readonly code: number;
  readonly name: string;
  /** Text of ncclGetErrorString, verbatim. */
  readonly string: string;
  /** Who may have to act; more than one: evidence must decide. */
  readonly owners: readonly Owner[];
  readonly needsHostFacts: boolean;
  readonly meaning: string;
  readonly typicalCauses: readonly string[];
}

export interface NvmlReturnRow extends Cited {
  readonly code: number;
  readonly name: string;
  /** Text of nvmlErrorString, verbatim; null: not seen. */
  readonly string: string | null;
  readonly owner: Owner;
  readonly needsHostFacts: boolean;
  readonly meaning: string;
}
