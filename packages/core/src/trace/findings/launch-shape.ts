import { occupancy as rows } from '../../knowledge/occupancy.rows.ts';
import type { Occupancy } from '../../occupancy/evaluate.ts';
import { evaluate, isInvalid, limitingOf, plainKernel } from '../../occupancy/evaluate.ts';
import type { Grid } from '../../occupancy/grid.ts';
import { gridOf } from '../../occupancy/grid.ts';
import { optedIn } from '../../occupancy/steps.ts';
import type { Shape, TraceDevice } from '../model.ts';

/** How a launch lies on the SMs of its GPU. */
export interface LaunchShape {
  readonly blocks: number;
  readonly threads: number;
  /** Null where the device does not tell. */
  readonly sms: number | null;
  /** Null where registers, shared memory or the limits of the GPU are not known. */
  readonly occupancy: Occupancy | null;
  /** Resources that let no more blocks be resident; empty without occupancy. */
  readonly limiting: readonly string[];
  readonly grid: Grid | null;
}

/** Counts blocks, waves and theoretical occupancy of a launch by the tables of `culprit occupancy`. */
export function launchShapeOf(shape: Shape, device: TraceDevice | undefined): LaunchShape {
  const product = ([x, y, z]: readonly [number, number, number]): number => x * y * z;
  const blocks = product(shape.grid);
  const threads = product(shape.block);
  const sms = device?.sms ?? null;
  const unknown = { blocks, threads, sms, occupancy: null, limiting: [], grid: null };
  const limits = rows.find((row) => row.computeCapability === device?.computeCapability);
  const { registers, staticShared, dynamicShared } = shape;
  const shared = staticShared === null && dynamicShared === null ? null : [staticShared ?? 0, dynamicShared ?? 0];
  if (limits === undefined || registers === null || shared === null) return unknown;
  const asked = {
    ...plainKernel,
    blockSize: threads,
    registersPerThread: registers,
    staticShared: shared[0]!,
    dynamicShared: shared[1]!,
  };
  if (isInvalid(limits, asked)) return unknown;
  const occupancy = evaluate(limits, optedIn(limits, asked));
  if (occupancy.activeBlocks === 0) return unknown;
  const grid = sms === null ? null : gridOf(blocks, sms, occupancy, limits);
  return { blocks, threads, sms, occupancy, limiting: limitingOf(occupancy), grid };
}

/** Threads that an SM holds at most. CUDA C++ Programming Guide, compute capabilities. */
const threadsOfSm = 2048;

/** Share of the places for blocks that a grid takes while it runs; by its threads alone, and at least, where these are not known. */
export function takenOf({ blocks, threads, sms, grid }: LaunchShape): number {
  if (grid !== null) return grid.efficiency;
  return sms === null ? 0 : Math.min(1, (blocks * threads) / (sms * threadsOfSm));
}
