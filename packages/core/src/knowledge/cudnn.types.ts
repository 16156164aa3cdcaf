import type { Cited, VersionRange } from './row.types.ts';

/** What a range of cuDNN releases asks for. */
export interface CudnnRangeRow extends Cited {
  readonly range: VersionRange;
  /** CUDA versions it was built for, by major; `minCuda`/`maxCuda` null: not limited within the major. */
  readonly builds: readonly {
    readonly cudaMajor: number;
    readonly minCuda: string | null;
    readonly maxCuda: string | null;
  }[];
  /** Lowest driver of a build. `minSm` set: holds only for GPUs from there on. */
  readonly minDriver: readonly {
    readonly cudaMajor: number;
    readonly minSm: number | null;
    readonly linux: string;
    readonly windows: string | null;
    readonly confirmed: boolean;
  }[];
  /** GPUs of a build, as sm numbers; `maxSm` null: no end printed. */
  readonly gpus: readonly { readonly cudaMajor: number; readonly minSm: number; readonly maxSm: number | null }[];
  /** CUDA versions for which static linking is offered, as printed; null: not stated. */
  readonly staticFor: string | null;
  readonly note: string | null;
}

export interface CudnnReleaseRow extends Cited {
  readonly version: string;
  /** Day when a packaging repository had it: an upper bound of its release. */
  readonly seenBy: string | null;
  /** CUDA majors it was built for; null: not seen. */
  readonly cudaMajors: readonly number[] | null;
  readonly note: string | null;
}

export interface CudnnImageRow extends Cited {
  readonly image: string;
  readonly cudnn: string;
}

/** A rule in words, for `explain`; what code decides on stands in fields of other tables. */
export interface LibraryRuleRow extends Cited {
  readonly id: string;
  readonly what: string;
}

export interface CudnnBugRow extends Cited {
  readonly range: VersionRange;
  readonly what: string;
  readonly fixedIn: string | null;
}
