import type { Architecture } from './branches.types.ts';
import type { GpuClass } from './forward-compat.types.ts';
import type { Cited } from './row.types.ts';

/** A compute capability. */
export interface ArchitectureRow extends Cited {
  /** As printed: `9.0`. */
  readonly computeCapability: string;
  /** As the compiler counts: 90 for 9.0, 121 for 12.1. */
  readonly sm: number;
  readonly architecture: Architecture;
  /** Name of the variant where it has one: `Blackwell Ultra`. */
  readonly variant: string | null;
  readonly products: {
    readonly dataCenter: readonly string[];
    readonly workstation: readonly string[];
    readonly consumer: readonly string[];
    readonly embedded: readonly string[];
  };
  readonly firstToolkit: string;
  /** Last toolkit that compiles for it; null: current. */
  readonly lastToolkit: string | null;
  /** First driver branch; null: not known, or a Jetson with drivers of its own. */
  readonly firstBranch: number | null;
  /** Last driver branch; null: still driven, or a Jetson with drivers of its own. */
  readonly lastBranch: number | null;
  readonly tegra: boolean;
  readonly suffixTargets: readonly string[];
  /** Lowest PTX ISA that knows the target, by suffix; null: not listed. */
  readonly minPtxIsa: { readonly base: string; readonly a: string; readonly f: string | null } | null;
  readonly confirmedFields: { readonly firstBranch: boolean };
  readonly note: string | null;
}

/** Rule of which code runs on which GPU. */
export interface BinaryRuleRow extends Cited {
  readonly id: string;
  readonly what: string;
}

/** Newest PTX that a driver of this CUDA version can compile at load time. */
export interface PtxIsaRow extends Cited {
  readonly cuda: string;
  readonly ptxIsa: string;
}

/** A toolkit release that dropped compute capabilities. */
export interface CutoffRow extends Cited {
  readonly cuda: string;
  readonly dropped: readonly string[];
}

/** A product name. Matching of printed names is left to the reader of this table. */
export interface GpuRow extends Cited {
  /** Name without `NVIDIA` and without memory size or board form: `A100`, `RTX 3060 Laptop GPU`. */
  readonly name: string;
  /** Other printed names, same rules. */
  readonly aliases: readonly string[];
  readonly computeCapability: string;
  readonly class: GpuClass;
  /** Streaming multiprocessors of the product; null: not known or differs by board. */
  readonly sms: number | null;
  /** Board form that `sms` holds for: `SXM`, `PCIe`; null: all. */
  readonly form: string | null;
  /** Sold in machines whose GPUs hang on NVSwitches (HGX, DGX, NVL racks): error 802 needs a fabric manager there. */
  readonly nvswitch: boolean;
  readonly mig: boolean;
  readonly laptop: boolean;
  /** Doubts about single fields. */
  readonly confirmedFields: { readonly computeCapability: boolean; readonly sms: boolean };
}
