import type { Cited, VersionRange } from './row.types.ts';

export interface NcclReleaseRow extends Cited {
  readonly version: string;
  /** Day or month of the release. */
  readonly date: string;
  /** CUDA versions it was seen built for; null: not seen. `cuda` null: the whole major. */
  readonly builtFor: readonly { readonly cudaMajor: number; readonly cuda: string | null }[] | null;
  readonly usedBy: string | null;
  readonly confirmedFields: { readonly builtFor: boolean; readonly date: boolean };
}

/** GPU code in NCCL's own builds. The highest architecture is there as PTX too, so newer GPUs are served by JIT. */
export interface NcclArchRow extends Cited {
  readonly range: VersionRange;
  /** CUDA versions of the build. */
  readonly cuda: VersionRange;
  readonly sms: readonly number[];
  /** PTX in the build, as sm number; null: not known. */
  readonly ptx: number | null;
  readonly note: string | null;
}

/** A feature that NCCL turns on only if the driver's CUDA version is at least this. */
export interface NcclGateRow extends Cited {
  readonly id: string;
  readonly feature: string;
  /** CUDA version of the driver. */
  readonly minDriverCuda: string | null;
  /** CUDA version that NCCL must be built with. */
  readonly minToolkit: string | null;
  readonly readAt: string;
  readonly note: string | null;
}

export interface NcclBugRow extends Cited {
  readonly id: string;
  readonly range: VersionRange;
  /** Further condition of the bug; null: none. */
  readonly when: string | null;
  readonly symptom: string;
  readonly workaround: string;
  /** First release without it; null: not known. */
  readonly fixedIn: string | null;
}

/** Bus bandwidth of a collective on a healthy machine, as nccl-tests reports it. */
export interface NcclBandwidthRow extends Cited {
  readonly id: string;
  /** What `--platform` takes; several rows can be of one platform. */
  readonly platform: string;
  /** The platform in words. */
  readonly about: string;
  /** Other names of the platform: systems and instance types. */
  readonly aliases: readonly string[];
  /** Names of its GPUs as nvidia-smi prints them, without the word NVIDIA; empty where it does not matter. */
  readonly gpus: readonly string[];
  /** Null: any. */
  readonly gpusPerNode: number | null;
  readonly nodesFrom: number;
  /** Null: any number above. */
  readonly nodesTo: number | null;
  /** `all_reduce`, `all_gather` … */
  readonly collective: string;
  /** `floor`: a health check refuses what is below. `target`: a recipe wants it. `measured`: seen on a healthy machine. `per-adapter`: for each network adapter of a node. */
  readonly kind: 'floor' | 'target' | 'measured' | 'per-adapter';
  /** Speed of one adapter in Gb/s, for `per-adapter`. */
  readonly adapterGbps: number | null;
  /** Message size that it was stated for; larger messages are not slower. */
  readonly bytes: number;
  /** GB/s. */
  readonly busbw: number;
  /** Share of `busbw` below which a result is too low. For `measured` rows it is this project's own allowance. */
  readonly tolerance: number;
  readonly note: string | null;
}
