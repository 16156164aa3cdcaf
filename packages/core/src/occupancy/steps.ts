import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import type { Kernel, Occupancy } from './evaluate.ts';
import { evaluate } from './evaluate.ts';

export type StepResource = 'registers' | 'sharedMemory' | 'blockSize' | 'barriers';

/** What less of a resource would give. */
export interface Step {
  readonly resource: StepResource;
  /** What the kernel uses now: registers a thread, bytes a block, threads a block, barriers. */
  readonly now: number;
  /** One step of allocation less (8 registers, one shared memory unit, one warp, one barrier). */
  readonly oneLess: { readonly value: number; readonly activeBlocks: number; readonly occupancy: number } | null;
  /** The largest smaller amount that raises the occupancy; null where none does, other limits staying as they are. */
  readonly gain: { readonly value: number; readonly activeBlocks: number; readonly occupancy: number } | null;
  /** The largest amount that costs nothing. */
  readonly free: number;
}

/** For each resource: one step less, the first step that brings something, and how much more would cost nothing. */
export function stepsOf(limits: OccupancyRow, kernel: Kernel, now: Occupancy): readonly Step[] {
  const steps: Step[] = [];
  if (kernel.registersPerThread > 0)
    steps.push(
      stepOf('registers', kernel.registersPerThread, 8, limits.maxRegistersPerThread, 1, now, (value) =>
        evaluate(limits, { ...kernel, registersPerThread: value }),
      ),
    );
  const shared = kernel.staticShared + kernel.dynamicShared;
  if (shared > 0) {
    const unit = limits.sharedMemoryAllocationUnit;
    const at = (bytes: number): Occupancy => evaluate(limits, withShared(limits, kernel, bytes));
    // A block takes whole units, reserved bytes included.
    const below = Math.max(0, (Math.ceil((shared + limits.reservedSharedMemoryPerBlock) / unit) - 1) * unit);
    const oneLess = Math.max(0, below - limits.reservedSharedMemoryPerBlock);
    const gain = largest(0, oneLess, (bytes) => at(bytes).occupancy > now.occupancy);
    const free = largest(
      shared,
      limits.sharedMemoryPerBlockOptin,
      (bytes) => at(bytes).activeBlocks >= now.activeBlocks,
    );
    steps.push({
      resource: 'sharedMemory',
      now: shared,
      oneLess: shared === oneLess ? null : told(oneLess, at(oneLess)),
      gain: gain === null ? null : told(gain, at(gain)),
      free: now.activeBlocks === 0 ? shared : (free ?? shared),
    });
  }
  steps.push(
    stepOf('blockSize', kernel.blockSize, limits.warpSize, limits.maxThreadsPerBlock, limits.warpSize, now, (value) =>
      evaluate(limits, { ...kernel, blockSize: value }),
    ),
  );
  if (limits.barrierLimitApplies && kernel.barriers > 1)
    steps.push(
      stepOf('barriers', kernel.barriers, 1, limits.maxNamedBarriersPerBlock, 1, now, (value) =>
        evaluate(limits, { ...kernel, barriers: value }),
      ),
    );
  return steps;
}

function told(value: number, { activeBlocks, occupancy }: Occupancy): NonNullable<Step['gain']> {
  return { value, activeBlocks, occupancy };
}

function stepOf(
  resource: StepResource,
  now: number,
  unit: number,
  most: number,
  by: number,
  current: Occupancy,
  at: (value: number) => Occupancy,
): Step {
  const oneLess = Math.ceil(now / unit) * unit - unit;
  let gain: Step['gain'] = null;
  for (let value = now - 1 - ((now - 1) % by); value >= by; value -= by) {
    const result = at(value);
    if (result.occupancy > current.occupancy) {
      gain = told(value, result);
      break;
    }
  }
  let free = now;
  if (current.activeBlocks > 0)
    for (let value = now + 1; value <= most && at(value).occupancy >= current.occupancy; value++) free = value;
  return { resource, now, oneLess: oneLess < by ? null : told(oneLess, at(oneLess)), gain, free };
}

/** The largest whole number of a range for which `holds`, which holds for all below it; null where it holds for none. */
function largest(from: number, to: number, holds: (value: number) => boolean): number | null {
  if (to < from || !holds(from)) return null;
  let low = from;
  let high = to + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The kernel with so many bytes of shared memory in all, opted in where they exceed 48 KiB. */
export function withShared(limits: OccupancyRow, kernel: Kernel, bytes: number): Kernel {
  const staticShared = Math.min(kernel.staticShared, bytes);
  return optedIn(limits, { ...kernel, staticShared, dynamicShared: bytes - staticShared });
}

/** The kernel as a program would launch it: more than 48 KiB of dynamic memory is asked for before. */
export function optedIn(limits: OccupancyRow, kernel: Kernel): Kernel {
  const needs = kernel.staticShared + kernel.dynamicShared > limits.sharedMemoryPerBlockDefault;
  return needs && kernel.dynamicShared > 0
    ? { ...kernel, optIn: true, maxDynamicShared: Math.max(kernel.maxDynamicShared, kernel.dynamicShared) }
    : kernel;
}
