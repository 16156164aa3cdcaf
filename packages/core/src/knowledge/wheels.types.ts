import type { Cited, VersionRange } from './row.types.ts';

/** A torch release in one CUDA variant. */
export interface TorchWheelRow extends Cited {
  /** Major and minor: `2.7`. */
  readonly torch: string;
  readonly released: string;
  /** Variant as in the local version: `cu128`. */
  readonly variant: string;
  readonly cuda: string;
  readonly cudnn: string | null;
  readonly nccl: string | null;
  /** Compute capabilities with SASS on x86_64; null: not seen. */
  readonly archs: readonly string[] | null;
  /** The last of `archs` is there as PTX too. */
  readonly ptx: boolean;
  readonly archsAarch64: readonly string[] | null;
  /** The build that PyPI serves; null: not clear. */
  readonly default: boolean | null;
  readonly minDriverLinux: string;
  readonly confirmedFields: { readonly archs: boolean; readonly pins: boolean; readonly default: boolean };
  readonly note: string | null;
}

export interface TorchDefaultRow extends Cited {
  readonly torch: string;
  readonly cuda: string;
}

/** What a release range of another project is built with and needs. Null: not stated. */
export interface ProjectWheelRow extends Cited {
  readonly project: string;
  readonly range: VersionRange;
  /** Variant or plugin of the project: `cuda12`, `cu130`. */
  readonly variant: string | null;
  /** Packages it comes as. */
  readonly packages: readonly string[];
  /** CUDA that it is built with. */
  readonly builtWith: string | null;
  /** CUDA runtime versions it works with. */
  readonly cuda: readonly VersionRange[];
  readonly cudnn: VersionRange | null;
  readonly nccl: readonly VersionRange[];
  readonly minDriverLinux: string | null;
  /** GPUs as sm numbers. */
  readonly minSm: number | null;
  readonly sms: readonly string[];
  readonly note: string | null;
}
