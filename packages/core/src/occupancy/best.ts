import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import type { Kernel } from './evaluate.ts';
import { carveoutFor, evaluateAt, preferredShared } from './evaluate.ts';

/** The block size with the most resident threads, and what it gives. */
export interface BestBlock {
  /** 0: no block size can launch. */
  readonly blockSize: number;
  readonly activeBlocks: number;
}

/**
 * What cudaOccupancyMaxPotentialBlockSize answers: from the launch bounds down in steps of a warp, the first size with
 * the most resident threads.
 * @param dynamicShared bytes of dynamic shared memory by block size
 */
export function bestBlockSize(
  limits: OccupancyRow,
  kernel: Kernel,
  dynamicShared: (blockSize: number) => number,
): BestBlock {
  const most = Math.min(limits.maxThreadsPerBlock, kernel.maxThreadsPerBlock);
  let best: BestBlock = { blockSize: 0, activeBlocks: 0 };
  let threads = 0;
  for (let size = Math.ceil(most / limits.warpSize) * limits.warpSize; size > 0; size -= limits.warpSize) {
    const tried = Math.min(size, most);
    const { activeBlocks } = evaluateAt(limits, kernel, tried, dynamicShared(tried));
    if (tried * activeBlocks > threads) {
      threads = tried * activeBlocks;
      best = { blockSize: tried, activeBlocks };
    }
    if (threads === limits.maxThreadsPerSm) break;
  }
  return best;
}

/**
 * The largest dynamic shared memory with which still so many blocks are resident; null where even none leaves fewer.
 * The answer is right when fed back, unlike `headerDynamicShared`.
 */
export function mostDynamicShared(limits: OccupancyRow, kernel: Kernel, blocks: number): number | null {
  const enough = (bytes: number): boolean => evaluateAt(limits, kernel, kernel.blockSize, bytes).activeBlocks >= blocks;
  if (!enough(0)) return null;
  let low = 0;
  let high = limits.sharedMemoryPerSm + 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (enough(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * What cudaOccupancyAvailableDynamicSMemPerBlock answers. It forgets the reserved 1 KiB and can wrap below zero, so on
 * 8.0 and later it often names more than leaves room for `blocks`. Null where it refuses.
 */
export function headerDynamicShared(limits: OccupancyRow, kernel: Kernel, blocks: number): number | null {
  if (evaluateAt(limits, kernel, kernel.blockSize, 0).activeBlocks < blocks) return null;
  const perBlock =
    (limits.carveoutIsConfigurable && kernel.optIn
      ? limits.sharedMemoryPerBlockOptin
      : limits.sharedMemoryPerBlockDefault) + limits.reservedSharedMemoryPerBlock;
  const preferred = preferredShared(limits, kernel);
  const shared = blocks === 1 ? perBlock : preferred === 0 ? carveoutFor(limits, 1) : preferred;
  const unit = limits.sharedMemoryAllocationUnit;
  const share = Math.min(Math.floor(shared / blocks / unit) * unit, perBlock) - kernel.staticShared;
  // Below zero the unsigned number is larger than any cap.
  return share < 0 ? kernel.maxDynamicShared : Math.min(share, kernel.maxDynamicShared);
}
