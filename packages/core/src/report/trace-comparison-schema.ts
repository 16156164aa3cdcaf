import { z } from 'zod';
import type { TraceComparison } from '../trace/compare.ts';

const kernelSum = z
  .strictObject({ count: z.int().min(0), totalNs: z.number().min(0) })
  .nullable()
  .describe('null: not in this trace');

/** `culprit/trace-comparison@1` */
export const traceComparisonSchema: z.ZodType<TraceComparison> = z
  .strictObject({
    schema: z.literal('culprit/trace-comparison@1'),
    before: z.string().describe('name of the first trace'),
    after: z.string(),
    headline: z.string(),
    length: z.strictObject({
      of: z.enum(['step', 'trace']).describe('a step where both traces mark three or more, else the whole'),
      before: z.number().describe('ns'),
      after: z.number(),
    }),
    findings: z.array(
      z.strictObject({ cause: z.string(), state: z.enum(['new', 'gone', 'stayed']), message: z.string() }),
    ),
    numbers: z.array(
      z.strictObject({
        name: z.string().describe('without trace.'),
        before: z.number().nullable(),
        after: z.number().nullable(),
        ratio: z.number().nullable().describe('after over before'),
        state: z.enum(['changed', 'equal']),
      }),
    ),
    kernels: z
      .array(
        z.strictObject({
          name: z.string(),
          before: kernelSum,
          after: kernelSum,
          differenceNs: z.number().describe('after less before'),
        }),
      )
      .describe('those whose time changed most first'),
    doubts: z.array(z.string()).describe('what makes the two hard to compare'),
  })
  .describe('where the time goes before and after a change of a program');
