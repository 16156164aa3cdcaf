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
