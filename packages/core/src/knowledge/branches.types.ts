import type { Cited } from './row.types.ts';

export type Architecture =
  'Fermi' | 'Kepler' | 'Maxwell' | 'Pascal' | 'Volta' | 'Turing' | 'Ampere' | 'Ada' | 'Hopper' | 'Blackwell' | 'Rubin';

export interface DriverRelease {
  readonly version: string;
  /** Day of release, where known. */
  readonly date: string | null;
  /** A developer build for Vulkan: its number may lie below the floor although the branch is new enough. */
  readonly vulkanBeta?: true;
}

/** A driver branch (the number before the first dot of a driver version). */
export interface BranchRow extends Cited {
  readonly branch: number;
  /** Newest CUDA version that the branch's libcuda serves. */
  readonly cuda: string;
  readonly kind: 'lts' | 'production' | 'new-feature' | 'legacy';
  readonly firstRelease: string | null;
  /** Month of the end of support, `2028-06`. */
  readonly endOfLife: string | null;
  /** `vendor`: NVIDIA printed it. `derived`: computed from the rule for such branches. */
  readonly endOfLifeBasis: 'vendor' | 'derived' | null;
  /** Exact day by another source, which may disagree. */
  readonly endOfLifeDerived: string | null;
  readonly endOfLifeConflict: string | null;
  readonly lastKnown: string | null;
  readonly lastKnownDate: string | null;
  readonly windowsLatestKnown: string | null;
  /** Architectures that the branch drives on a PC or server. */
  readonly architectures: readonly Architecture[];
  /** Open kernel module: not there, optional, installed by default where the GPU allows, or the only one. */
  readonly openModule: 'none' | 'optional' | 'default' | 'only';
  readonly confirmedFields: { readonly cuda: boolean; readonly openModule: boolean };
  /** Releases that were met; not every one that exists. Ascending. */
  readonly releases: readonly DriverRelease[];
  readonly note: string | null;
}

/** First and last driver branch of an architecture. */
export interface ArchitectureSpanRow extends Cited {
  readonly architecture: Architecture;
  /** Lowest and highest compute capability as `sm` numbers (7.5 is 75). */
  readonly minSm: number;
  readonly maxSm: number;
  /** First branch that drives it, null where not known. Single members may start later: see the architecture table. */
  readonly firstBranch: number | null;
  /** Last branch that drives it; null: still driven. */
  readonly lastBranch: number | null;
  /** Last toolkit that compiles for all of it; null: current. */
  readonly lastToolkit: string | null;
  readonly note: string | null;
}

/** Which kernel module flavours drive an architecture (or the named products of it) from a branch on. */
export interface ModuleFlavourRow extends Cited {
  readonly architecture: Architecture;
  /** Products that the row is limited to, as GPU table names; null: the whole architecture. */
  readonly products: readonly string[] | null;
  /** First and last branch of the row; null is open. */
  readonly fromBranch: number | null;
  readonly toBranch: number | null;
  readonly flavours: 'open-only' | 'proprietary-only' | 'either';
}

/** A rule about the open kernel module that is not about an architecture alone. */
export interface OpenModuleRuleRow extends Cited {
  readonly id: string;
  readonly fromBranch: number | null;
  readonly what: string;
}

export interface DriverNoteRow extends Cited {
  readonly id: string;
  readonly what: string;
}
