import type { OccupancyRow } from '../knowledge/occupancy.types.ts';

/** What a launch asks of a streaming multiprocessor, besides where it runs. */
export interface Kernel {
  readonly blockSize: number;
  readonly registersPerThread: number;
  readonly staticShared: number;
  readonly dynamicShared: number;
  /** The kernel asked for more than 48 KiB of dynamic shared memory (cudaFuncSetAttribute). */
  readonly optIn: boolean;
  /** Dynamic bytes that it declared with that; counts with `optIn` only. */
  readonly maxDynamicShared: number;
  /** Preferred shared memory in percent; -1: all of it. */
  readonly carveout: number;
  /** The older preference; counts where `carveout` is -1. */
  readonly cacheConfig: 'none' | 'shared' | 'l1' | 'equal';
  /** Launch bounds of the kernel; only the best block size looks at them. */
  readonly maxThreadsPerBlock: number;
  readonly barriers: number;
  /** 5.2, 5.3, 6.1 and 6.2 only. */
  readonly partitionedCaching: 'off' | 'on' | 'strict';
  /** 10.0 and later; 0: none declared. */
  readonly virtualResources: number;
}

/** A kernel of 256 threads that needs nothing else. */
export const plainKernel: Kernel = {
  blockSize: 256,
  registersPerThread: 0,
  staticShared: 0,
  dynamicShared: 0,
  optIn: false,
  maxDynamicShared: 0,
  carveout: -1,
  cacheConfig: 'none',
  maxThreadsPerBlock: 1024,
  barriers: 1,
  partitionedCaching: 'off',
  virtualResources: 0,
};

/** Blocks per SM that each resource allows; Infinity where it sets no limit. */
export interface Limits {
  readonly warps: number;
  readonly registers: number;
  readonly sharedMemory: number;
  readonly blocks: number;
  readonly barriers: number;
  readonly virtualResources: number;
}

export type Resource = keyof Limits;

/** Resources in the order in which answers name them. */
export const resources: readonly Resource[] = [
  'warps',
  'registers',
  'sharedMemory',
  'blocks',
  'barriers',
  'virtualResources',
];

export interface Occupancy {
  /** Resident blocks per SM; 0: it cannot launch. */
  readonly activeBlocks: number;
  readonly activeWarps: number;
  readonly warpsPerBlock: number;
  /** Active warps over the most that an SM holds. */
  readonly occupancy: number;
  readonly limits: Limits;
  /** Registers that one block takes, after rounding. */
  readonly registersPerBlock: number;
  /** Shared memory that one block takes, after rounding and with what is reserved. */
  readonly sharedPerBlock: number;
  /** Shared memory that the SM is set to. */
  readonly configuredShared: number;
  readonly partitionedCaching: 'off' | 'on' | 'strict';
}

/** True where the calculator refuses the question instead of answering 0 blocks. */
export function isInvalid(limits: OccupancyRow, kernel: Kernel): boolean {
  return (
    kernel.blockSize <= 0 ||
    kernel.maxThreadsPerBlock <= 0 ||
    kernel.registersPerThread < 0 ||
    (limits.carveoutIsConfigurable && (kernel.carveout < -1 || kernel.carveout > 100))
  );
}

/**
 * Resident blocks of a kernel on one SM of a compute capability, by the rules of `knowledge/occupancy-rules.rows.ts`.
 * @param limits the row of the compute capability
 * @param kernel what the launch needs; not `isInvalid`
 */
export function evaluate(limits: OccupancyRow, kernel: Kernel): Occupancy {
  return evaluateAt(limits, kernel, kernel.blockSize, kernel.dynamicShared);
}

/** The same with another block size and amount of dynamic shared memory than the kernel's own. */
export function evaluateAt(limits: OccupancyRow, kernel: Kernel, blockSize: number, dynamicShared: number): Occupancy {
  const warpsPerBlock = Math.ceil(blockSize / limits.warpSize);
  const fits = blockSize <= limits.maxThreadsPerBlock;

  const perWarp = roundUp(kernel.registersPerThread * limits.warpSize, limits.registerAllocationUnit);
  const refused = isRefused(limits, kernel.registersPerThread, perWarp, warpsPerBlock);
  let partitioned = limits.partitionedGlobalCaching && kernel.partitionedCaching !== 'off';
  let registers = refused ? 0 : byRegisters(limits, perWarp, warpsPerBlock, partitioned);
  // A block that fits the SM but not its half turns the caching off.
  if (partitioned && !refused && registers === 0 && kernel.partitionedCaching === 'on') {
    partitioned = false;
    registers = byRegisters(limits, perWarp, warpsPerBlock, false);
  }
  const warps = fits ? blocksBy(limits.maxWarpsPerSm, warpsPerBlock, partitioned) : 0;

  const reserved = limits.reservedSharedMemoryPerBlock;
  const unrounded = kernel.staticShared + reserved + dynamicShared;
  const sharedPerBlock = roundUp(unrounded, limits.sharedMemoryAllocationUnit);
  let configured = preferredShared(limits, kernel);
  let sharedMemory: number;
  if (kernel.optIn && dynamicShared > kernel.maxDynamicShared) sharedMemory = 0;
  else if (sharedPerBlock > sharedLimit(limits, kernel, dynamicShared) + reserved) sharedMemory = 0;
  else if (sharedPerBlock === 0) sharedMemory = Infinity;
  else {
    if (configured < sharedPerBlock) configured = carveoutFor(limits, sharedPerBlock);
    sharedMemory = Math.floor(configured / sharedPerBlock);
  }

  const barriers =
    limits.barrierLimitApplies && kernel.barriers > 0 ? Math.floor(limits.barriersPerSm / kernel.barriers) : Infinity;
  const virtualResources =
    limits.virtualResourcesPerSm > 0 && kernel.virtualResources > 0
      ? Math.floor(limits.virtualResourcesPerSm / kernel.virtualResources)
      : Infinity;
  const blocks = limits.maxBlocksPerSm;
  const activeBlocks = Math.min(warps, registers, sharedMemory, blocks, barriers, virtualResources);
  const activeWarps = activeBlocks * warpsPerBlock;
  return {
    activeBlocks,
    activeWarps,
    warpsPerBlock,
    occupancy: activeWarps / limits.maxWarpsPerSm,
    limits: { warps, registers, sharedMemory, blocks, barriers, virtualResources },
    registersPerBlock: perWarp * warpsPerBlock,
    sharedPerBlock,
    configuredShared: configured,
    partitionedCaching: partitioned ? kernel.partitionedCaching : 'off',
  };
}

/** Resources whose limit is the number of resident blocks. */
export function limitingOf(occupancy: Occupancy): readonly Resource[] {
  return resources.filter((each) => occupancy.limits[each] === occupancy.activeBlocks);
}

const withoutBarriers: readonly Resource[] = resources.filter((each) => each !== 'barriers');

/**
 * What the header names as limiting: the tightest of all limits but barriers, and barriers too where these are as tight
 * or tighter. So it may name limits that are not the tightest; `limitingOf` does not.
 */
export function headerLimitingOf({ limits }: Occupancy): readonly Resource[] {
  const least = Math.min(...withoutBarriers.map((each) => limits[each]));
  return resources.filter((each) => (each === 'barriers' ? limits.barriers <= least : limits[each] === least));
}

export function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

function blocksBy(warps: number, warpsPerBlock: number, halved: boolean): number {
  return halved ? 2 * Math.floor(warps / 2 / warpsPerBlock) : Math.floor(warps / warpsPerBlock);
}

/** A block whose registers no SM hands out, however empty it is. */
function isRefused(limits: OccupancyRow, perThread: number, perWarp: number, warpsPerBlock: number): boolean {
  if (perThread > limits.headerMaxRegistersPerThread) return true;
  return perWarp * roundUp(warpsPerBlock, limits.warpAllocationGranularity) > limits.registersPerBlock;
}

/** Blocks that the registers allow: warps of each sub-partition, then whole blocks. */
function byRegisters(limits: OccupancyRow, perWarp: number, warpsPerBlock: number, halved: boolean): number {
  if (perWarp === 0) return Infinity;
  const inParts = (parts: number): number =>
    blocksBy(Math.floor(limits.registersPerSm / parts / perWarp) * parts, warpsPerBlock, halved);
  const blocks = inParts(limits.subPartitionsPerSm);
  // A part with two sub-partitions (6.0) refuses what its siblings with four (6.1) could not hold either.
  const sibling = 4;
  if (
    limits.subPartitionsPerSm < sibling &&
    (perWarp * roundUp(warpsPerBlock, sibling) > limits.registersPerBlock || inParts(sibling) === 0)
  )
    return 0;
  return blocks;
}

/** Most shared memory that one block may take, without what is reserved. */
function sharedLimit(limits: OccupancyRow, kernel: Kernel, dynamicShared: number): number {
  if (!limits.carveoutIsConfigurable || !kernel.optIn) return limits.sharedMemoryPerBlockDefault;
  const declared =
    kernel.staticShared + limits.reservedSharedMemoryPerBlock + Math.max(kernel.maxDynamicShared, dynamicShared);
  return declared > limits.sharedMemoryPerBlockDefault
    ? limits.sharedMemoryPerBlockOptin
    : limits.sharedMemoryPerBlockDefault;
}

const olderPreference = { none: 100, shared: 100, l1: 0, equal: 50 } as const;

/** Shared memory that the SM is set to by preference, before a block is looked at. */
export function preferredShared(limits: OccupancyRow, kernel: Kernel): number {
  if (!limits.carveoutIsConfigurable) return limits.sharedMemoryPerSm;
  const percent = kernel.carveout === -1 ? olderPreference[kernel.cacheConfig] : kernel.carveout;
  return carveoutFor(limits, Math.floor((percent * limits.sharedMemoryPerSm) / 100));
}

/** The smallest size of the list that holds so many bytes; the largest where none does. */
export function carveoutFor(limits: OccupancyRow, bytes: number): number {
  if (!limits.carveoutIsConfigurable) return limits.sharedMemoryPerSm;
  const list = limits.sharedMemoryCarveoutsKiB;
  for (let at = 0; at < list.length; at++) {
    const size = list[at]! * 1024;
    if (size >= bytes) return size;
  }
  return limits.sharedMemoryPerSm;
}
