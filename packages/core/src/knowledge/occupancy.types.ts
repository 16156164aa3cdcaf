import type { Cited } from './row.types.ts';

/** Limits of a streaming multiprocessor that decide occupancy. Bytes unless named otherwise. */
export interface OccupancyRow extends Cited {
  readonly computeCapability: string;
  readonly family: string;
  readonly examples: readonly string[];
  readonly warpSize: number;
  readonly maxThreadsPerBlock: number;
  readonly maxThreadsPerSm: number;
  readonly maxWarpsPerSm: number;
  readonly maxBlocksPerSm: number;
  readonly registersPerSm: number;
  readonly registersPerBlock: number;
  /** Architectural maximum. */
  readonly maxRegistersPerThread: number;
  /** Maximum that the occupancy header checks against. */
  readonly headerMaxRegistersPerThread: number;
  readonly registerAllocationUnit: number;
  readonly registerAllocationGranularity: 'warp';
  readonly subPartitionsPerSm: number;
  readonly warpAllocationGranularity: number;
  readonly sharedMemoryPerSm: number;
  readonly sharedMemoryPerBlockDefault: number;
  readonly sharedMemoryPerBlockOptin: number;
  readonly reservedSharedMemoryPerBlock: number;
  readonly sharedMemoryAllocationUnit: number;
  readonly sharedMemoryCarveoutsKiB: readonly number[];
  readonly carveoutIsConfigurable: boolean;
  readonly unifiedL1SharedKiB: number | null;
  readonly maxNamedBarriersPerBlock: number;
  readonly barriersPerSm: number;
  readonly barrierLimitApplies: boolean;
  readonly virtualResourcesPerSm: number;
  readonly partitionedGlobalCaching: boolean;
  readonly clusters: boolean;
  readonly maxPortableClusterSize: number | null;
  readonly confirmedFields: {
    readonly maxNamedBarriersPerBlock: boolean;
    readonly maxPortableClusterSize: boolean;
    readonly unifiedL1SharedKiB: boolean;
  };
  readonly notes: readonly string[];
}

export interface OccupancyRuleRow extends Cited {
  readonly id: string;
  readonly what: string;
}

/** A MIG profile: how many multiprocessors an instance of it has. */
export interface MigProfileRow extends Cited {
  /** Name in the GPU table. */
  readonly gpu: string;
  /** As nvidia-smi prints it, without a suffix for media engines: `1g.10gb`. */
  readonly profile: string;
  /** Slices of the GPU's seven (A30 and RTX PRO: four) that it computes with. */
  readonly slices: number;
  /** Multiprocessors as `nvidia-smi mig -lgip` prints them; null where that was not read. */
  readonly sms: number | null;
}
