import type { Cited } from './row.types.ts';

/** A monthly tag of the NGC framework images. */
export interface NgcTagRow extends Cited {
  readonly tag: string;
  readonly cuda: string;
  readonly cudaBuild: string | null;
  /** Driver inside the compat package of the image. */
  readonly compatDriver: string | null;
  /** Lowest driver by minor version compatibility. */
  readonly mvcFloor: string;
  readonly cudnn: string | null;
  readonly nccl: string | null;
  /** What the release notes say of drivers; for 13.x partly stale: the floor above decides. */
  readonly driverText: string | null;
  readonly onnxruntime: string | null;
  readonly tritonVariants: readonly {
    readonly variant: 'vllm' | 'trtllm';
    readonly cuda: string;
    readonly compatDriver: string | null;
    readonly vllm: string | null;
    readonly torch: string | null;
    readonly tensorrt: string | null;
    readonly trtllm: string | null;
  }[];
  readonly confirmedFields: { readonly libraries: boolean };
  readonly note: string | null;
}

/** Other images whose content is known. */
export interface NgcImageRow extends Cited {
  readonly image: string;
  readonly tag: string;
  readonly cuda: string;
  readonly cudnn: string | null;
  readonly nccl: string | null;
  readonly driverText: string | null;
}

/** NVIDIA_REQUIRE_CUDA of nvidia/cuda base images. */
export interface RequireCudaRow extends Cited {
  /** CUDA version of the image: `12.4.1`, or `12.8.x` for all updates. */
  readonly imageVersion: string;
  readonly arches: readonly ('x86_64' | 'arm64' | 'ppc64le')[];
  /** Distributions it was seen on; null: all. */
  readonly os: readonly string[] | null;
  /** The variable, verbatim; null: not seen. */
  readonly value: string | null;
  /** Driver branches that its alternatives admit by name; null: not seen. */
  readonly branches: readonly number[] | null;
  /** False: written out from a captured list, not read as one string. */
  readonly verbatim: boolean;
  readonly note: string | null;
}

export interface ImageRuleRow extends Cited {
  readonly id: string;
  readonly what: string;
}

/** A variable that images set by default. */
export interface ImageEnvRow extends Cited {
  /** `nvidia/cuda` or `ngc-framework`. */
  readonly images: string;
  readonly name: string;
  readonly value: string;
  /** CUDA major from which on; null: always. */
  readonly sinceMajor: number | null;
}
