import type { Knowledge } from '../knowledge/knowledge.ts';
import { adviceOf, beyondAnyLaunch, whyNone } from './advice.ts';
import type { BestBlock } from './best.ts';
import { bestBlockSize, mostDynamicShared } from './best.ts';
import type { Kernel, Occupancy, Resource } from './evaluate.ts';
import { evaluate, isInvalid, limitingOf } from './evaluate.ts';
import type { Cluster, Grid } from './grid.ts';
import { clusterOf, gridOf } from './grid.ts';
import type { Place } from './place.ts';
import type { Step } from './steps.ts';
import { optedIn, stepsOf } from './steps.ts';

/** What is asked: a kernel, where it runs, and how many blocks of it. */
export interface LaunchQuestion {
  readonly place: Place;
  readonly kernel: Kernel;
  /** Name of the kernel, where it has one. */
  readonly name: string | null;
  /** Blocks of the grid; null: only one SM is looked at. */
  readonly grid: number | null;
  readonly clusterSize: number | null;
  /** Bytes that registers were spilled to, where known. */
  readonly spilled: number | null;
}

/** `culprit/occupancy@1` */
export interface OccupancyAnswer {
  readonly schema: 'culprit/occupancy@1';
  readonly computeCapability: string;
  readonly gpu: string | null;
  readonly sms: number | null;
  /** False where a number of this capability or the SM count was not read in a primary source. */
  readonly confirmed: boolean;
  readonly launch: {
    readonly kernel: string | null;
    readonly blockSize: number;
    readonly registersPerThread: number;
    readonly staticShared: number;
    readonly dynamicShared: number;
    /** The kernel has to ask for its dynamic shared memory (cudaFuncSetAttribute). */
    readonly optIn: boolean;
    readonly carveout: number;
    readonly barriers: number;
    readonly clusterSize: number | null;
  };
  readonly activeBlocks: number;
  readonly activeWarps: number;
  readonly mostWarps: number;
  /** 0 to 1. */
  readonly occupancy: number;
  /** Blocks that each resource allows; null: it sets no limit. */
  readonly limits: Readonly<Record<Resource, number | null>>;
  readonly limiting: readonly Resource[];
  /** Why no block starts; null where one does. */
  readonly cannotLaunch: string | null;
  /** What a block takes after rounding, and what the SM's shared memory is set to. */
  readonly allocated: {
    readonly registersPerBlock: number;
    readonly sharedPerBlock: number;
    readonly configuredShared: number;
  };
  readonly best: BestBlock & { readonly occupancy: number; readonly minGrid: number | null };
  /** Dynamic shared memory that costs no block; null where none starts. */
  readonly mostDynamicShared: number | null;
  readonly steps: readonly Step[];
  readonly grid: Grid | null;
  readonly cluster: Cluster | null;
  readonly advice: readonly string[];
  readonly restsOn: readonly string[];
  readonly asOf: string;
}

/**
 * Everything there is to say of a launch; null for a question that the calculator refuses (no threads, a carve-out
 * beyond -1 to 100).
 */
export function answerOf(question: LaunchQuestion, knowledge: Knowledge): OccupancyAnswer | null {
  const { place, name, grid } = question;
  const { limits } = place;
  if (isInvalid(limits, question.kernel)) return null;
  const kernel = optedIn(limits, question.kernel);
  const result = evaluate(limits, kernel);
  const best = bestBlockSize(limits, kernel, () => kernel.dynamicShared);
  const cluster =
    question.clusterSize === null ? null : clusterOf(question.clusterSize, grid, place.sms, result, limits);
  const spread = grid === null || place.sms === null ? null : gridOf(grid, place.sms, result, limits);
  const steps = stepsOf(limits, kernel, result);
  const cannotLaunch =
    result.activeBlocks === 0
      ? whyNone(limits, kernel, result)
      : (beyondAnyLaunch(limits, kernel) ?? cluster?.problem ?? null);
  return {
    schema: 'culprit/occupancy@1',
    computeCapability: limits.computeCapability,
    gpu: place.name,
    sms: place.sms,
    confirmed: limits.confirmed && (place.sms === null || place.smsConfirmed),
    launch: {
      kernel: name,
      blockSize: kernel.blockSize,
      registersPerThread: kernel.registersPerThread,
      staticShared: kernel.staticShared,
      dynamicShared: kernel.dynamicShared,
      optIn: kernel.optIn,
      carveout: kernel.carveout,
      barriers: kernel.barriers,
      clusterSize: question.clusterSize,
    },
    activeBlocks: result.activeBlocks,
    activeWarps: result.activeWarps,
    mostWarps: limits.maxWarpsPerSm,
    occupancy: result.occupancy,
    limits: finite(result),
    limiting: limitingOf(result),
    cannotLaunch,
    allocated: {
      registersPerBlock: result.registersPerBlock,
      sharedPerBlock: result.sharedPerBlock,
      configuredShared: result.configuredShared,
    },
    best: {
      ...best,
      occupancy: (best.activeBlocks * Math.ceil(best.blockSize / limits.warpSize)) / limits.maxWarpsPerSm,
      minGrid: place.sms === null ? null : best.activeBlocks * place.sms,
    },
    mostDynamicShared:
      result.activeBlocks === 0
        ? null
        : mostDynamicShared(
            limits,
            { ...kernel, optIn: true, maxDynamicShared: limits.sharedMemoryPerBlockOptin },
            result.activeBlocks,
          ),
    steps,
    grid: spread,
    cluster,
    advice: adviceOf({ question: { ...question, kernel }, result, best, steps, grid: spread, cluster, cannotLaunch }),
    restsOn: limits.sources,
    asOf: knowledge.asOf,
  };
}

function finite({ limits }: Occupancy): Readonly<Record<Resource, number | null>> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [name, value === Infinity ? null : (value as number)]),
  ) as Record<Resource, number | null>;
}
