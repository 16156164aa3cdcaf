import { z } from 'zod';
import type { TraceComparison } from '../trace/compare.ts';

const kernelSum = z
  .strictObject({ count: z.int().min(0), totalNs: z.number().min(0) })
  .nullable()
  .describe('null: not in this trace');

const rankOfSide = z
  .strictObject({
    spanNs: z.number(),
    idleShare: z.number().nullable(),
    computingShare: z.number().nullable().describe("part of the span with kernels other than NCCL's"),
    kernels: z.int().min(0),
    ncclNs: z.number(),
  })
  .nullable()
  .describe('null: not on this side');

/** `culprit/trace-comparison@1` */
export const traceComparisonSchema: z.ZodType<TraceComparison> = z
  .strictObject({
    schema: z.literal('culprit/trace-comparison@1'),
    before: z.string().describe('name of the first trace'),
    after: z.string(),
    status: z
      .enum(['changed', 'equal', 'cannot-tell'])
      .describe('cannot-tell: the two are not known to be of the same work'),
    headline: z.string(),
    length: z.strictObject({
      of: z
        .enum(['step', 'trace', 'kernel'])
        .describe(
          'a step (or range) where both traces mark three or more, else the whole; kernel: that divided by the kernels in common, where one holds more of the same work',
        ),
      before: z.number().describe('ns'),
      after: z.number(),
    }),
    scope: z
      .strictObject({ before: z.string(), after: z.string() })
      .nullable()
      .describe('the rank or GPU that length and numbers are of, where there are several'),
    work: z
      .strictObject({
        timeInCommon: z
          .strictObject({ before: z.number(), after: z.number() })
          .nullable()
          .describe("part of the kernels' time in kernels that both have, those of NCCL aside"),
        kernels: z
          .strictObject({ before: z.number(), after: z.number() })
          .nullable()
          .describe('kernels of the names in common; of a step where steps are compared'),
        steps: z.strictObject({ before: z.int(), after: z.int() }).nullable(),
        amount: z.number().describe('how many times as much work the second trace holds'),
      })
      .nullable(),
    findings: z.array(
      z.strictObject({
        cause: z.string(),
        state: z.enum(['new', 'gone', 'stayed', 'only-before', 'only-after']),
        message: z.string(),
      }),
    ),
    numbers: z.array(
      z.strictObject({
        name: z.string().describe('without trace.'),
        before: z.number().nullable(),
        after: z.number().nullable(),
        ratio: z.number().nullable().describe('after over before'),
        sameWorkRatio: z.number().nullable().describe('the same for the same amount of work'),
        state: z.enum(['changed', 'equal']),
      }),
    ),
    ranks: z
      .array(z.strictObject({ called: z.string(), before: rankOfSide, after: rankOfSide }))
      .describe('every rank or GPU, where there are several'),
    kernels: z
      .array(
        z.strictObject({
          name: z.string(),
          before: kernelSum,
          after: kernelSum,
          differenceNs: z.number().describe('after less before'),
        }),
      )
      .describe('of all ranks and GPUs together; those whose time changed most first'),
    doubts: z.array(z.string()).describe('what makes the two hard to compare'),
  })
  .describe('where the time goes before and after a change of a program');
