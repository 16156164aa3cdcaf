import { z } from 'zod';
import type { OccupancyAnswer } from '../occupancy/answer.ts';

const whole = z.int().min(0);
const share = z.number().min(0);
const perSm = whole.nullable().describe('blocks per SM; null: it sets no limit');
const resource = z.enum(['warps', 'registers', 'sharedMemory', 'blocks', 'barriers', 'virtualResources']);
const given = z.strictObject({ value: whole, activeBlocks: whole, occupancy: share });

const curve = z.strictObject({
  kind: z.enum(['blockSize', 'registers', 'sharedMemory']),
  label: z.string(),
  now: whole.describe('where the kernel stands'),
  points: z.array(z.strictObject({ x: whole, activeBlocks: whole, occupancy: share })),
});

/** `culprit/occupancy@1` */
export const occupancySchema: z.ZodType<OccupancyAnswer> = z
  .strictObject({
    schema: z.literal('culprit/occupancy@1'),
    computeCapability: z.string(),
    gpu: z.string().nullable(),
    sms: whole.nullable().describe('multiprocessors; null: not known'),
    confirmed: z.boolean().describe('false: a limit or the SM count was not read in a primary source'),
    launch: z.strictObject({
      kernel: z.string().nullable(),
      blockSize: whole,
      registersPerThread: whole,
      staticShared: whole,
      dynamicShared: whole,
      optIn: z.boolean().describe('the program has to ask for its dynamic shared memory'),
      carveout: z.int().min(-1).max(100),
      barriers: whole,
      clusterSize: whole.nullable(),
    }),
    activeBlocks: whole.describe('resident blocks per SM; 0: it cannot launch'),
    activeWarps: whole,
    mostWarps: whole,
    occupancy: share.describe('0 to 1'),
    limits: z.strictObject({
      warps: perSm,
      registers: perSm,
      sharedMemory: perSm,
      blocks: perSm,
      barriers: perSm,
      virtualResources: perSm,
    }),
    limiting: z.array(resource).describe('limits that equal the resident blocks'),
    cannotLaunch: z.string().nullable(),
    allocated: z.strictObject({ registersPerBlock: whole, sharedPerBlock: whole, configuredShared: whole }),
    best: z.strictObject({
      blockSize: whole,
      activeBlocks: whole,
      occupancy: share,
      minGrid: whole.nullable().describe('blocks that fill the part'),
    }),
    mostDynamicShared: whole.nullable().describe('bytes that cost no block'),
    steps: z
      .array(
        z.strictObject({
          resource: z.enum(['registers', 'sharedMemory', 'blockSize', 'barriers']),
          now: whole,
          oneLess: given.nullable().describe('one step of allocation less'),
          gain: given.nullable().describe('the largest smaller amount that raises the occupancy'),
          free: whole.describe('the largest amount that costs nothing'),
        }),
      )
      .describe('what less of a resource gives'),
    grid: z
      .strictObject({
        blocks: whole,
        sms: whole,
        blocksPerWave: whole.describe('the smallest grid that fills the part'),
        waves: share,
        fullWaves: whole,
        tailBlocks: whole,
        idleSms: whole.describe('SMs that never get a block'),
        tailIdleSms: whole.describe('SMs without a block in the last wave'),
        efficiency: share.describe('used block places, if all blocks take equally long'),
        smActive: share.describe('what DCGM field 1002 shows at most'),
        smOccupancy: share.describe('what DCGM field 1003 shows at most'),
      })
      .nullable(),
    cluster: z
      .strictObject({
        size: whole,
        portable: z.boolean().nullable(),
        problem: z.string().nullable(),
        clusters: share.nullable(),
        activeAtMost: whole.nullable(),
        wavesAtLeast: share.nullable(),
      })
      .nullable(),
    advice: z.array(z.string()),
    restsOn: z.array(z.string()).describe('citation ids of the tables'),
    asOf: z.iso.date(),
    curves: z.array(curve).optional().describe('with --curve'),
  })
  .describe('how a launch fills an SM and a GPU');

/** `culprit/occupancies@1` */
export const occupanciesSchema: z.ZodType = z
  .strictObject({ schema: z.literal('culprit/occupancies@1'), kernels: z.array(occupancySchema) })
  .describe('several kernels of one file');
