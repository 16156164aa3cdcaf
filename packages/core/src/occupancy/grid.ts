import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import type { Occupancy } from './evaluate.ts';

/** How the blocks of a launch spread over the SMs. */
export interface Grid {
  readonly blocks: number;
  readonly sms: number;
  /** Blocks that run at once when the part is full: the smallest grid that fills it. */
  readonly blocksPerWave: number;
  readonly waves: number;
  readonly fullWaves: number;
  /** Blocks of the last wave that is not full; 0: none. */
  readonly tailBlocks: number;
  /** SMs that never get a block. */
  readonly idleSms: number;
  /** SMs without a block during the last wave. */
  readonly tailIdleSms: number;
  /** Share of the block places that are used, where all blocks take equally long: waves / whole waves. */
  readonly efficiency: number;
  /** Share of the SMs that have a warp while the kernel runs: what DCGM's SM_ACTIVE shows, at most. */
  readonly smActive: number;
  /** Resident warps over the most possible, over all SMs and the whole run: what DCGM's SM_OCCUPANCY shows, at most. */
  readonly smOccupancy: number;
}

/**
 * Waves, tail and idle SMs of a grid; null for a kernel that cannot launch.
 * Blocks are dealt to the SM with the most room, so a grid smaller than the part gives each block an SM of its own.
 */
export function gridOf(blocks: number, sms: number, occupancy: Occupancy, limits: OccupancyRow): Grid | null {
  const blocksPerWave = occupancy.activeBlocks * sms;
  if (blocksPerWave === 0 || blocks <= 0) return null;
  const waves = blocks / blocksPerWave;
  const fullWaves = Math.floor(waves);
  const tailBlocks = blocks - fullWaves * blocksPerWave;
  const rounds = Math.ceil(waves);
  const busyInTail = tailBlocks === 0 ? sms : Math.min(sms, tailBlocks);
  return {
    blocks,
    sms,
    blocksPerWave,
    waves,
    fullWaves,
    tailBlocks,
    idleSms: Math.max(0, sms - blocks),
    tailIdleSms: sms - busyInTail,
    efficiency: waves / rounds,
    smActive: (fullWaves * sms + (tailBlocks === 0 ? 0 : busyInTail)) / (rounds * sms),
    smOccupancy: (blocks * occupancy.warpsPerBlock) / (rounds * sms * limits.maxWarpsPerSm),
  };
}

/** Blocks that are launched together on one group of SMs (9.0 and later). */
export interface Cluster {
  readonly size: number;
  /** Null where there are no clusters or the portable size is not known. */
  readonly portable: boolean | null;
  /** Why such a launch fails; null where nothing here says that it does. */
  readonly problem: string | null;
  /** Clusters of the grid; null without a grid. */
  readonly clusters: number | null;
  /** Never more than these at once; fewer where groups of SMs are cut. Null where the SMs are not known. */
  readonly activeAtMost: number | null;
  /** The waves are at least these. */
  readonly wavesAtLeast: number | null;
}

/** Largest cluster that hardware takes with the non-portable attribute. */
const largestCluster = 16;

export function clusterOf(
  size: number,
  blocks: number | null,
  sms: number | null,
  occupancy: Occupancy,
  limits: OccupancyRow,
): Cluster {
  const portableSize = limits.maxPortableClusterSize;
  const clusters = blocks === null ? null : blocks / size;
  const problem = !limits.clusters
    ? `compute capability ${limits.computeCapability} has no clusters; they begin with 9.0`
    : size > largestCluster
      ? `a cluster holds at most ${portableSize ?? 8} blocks, ${largestCluster} where the kernel allows the non-portable size`
      : clusters !== null && !Number.isInteger(clusters)
        ? `the grid of ${blocks} blocks is no multiple of the cluster size ${size}`
        : null;
  const activeAtMost = sms === null || problem !== null ? null : Math.floor((sms * occupancy.activeBlocks) / size);
  return {
    size,
    portable: limits.clusters && portableSize !== null ? size <= portableSize : null,
    problem,
    clusters: problem === null ? clusters : null,
    activeAtMost,
    wavesAtLeast: activeAtMost === null || activeAtMost === 0 || clusters === null ? null : clusters / activeAtMost,
  };
}
