import { z } from 'zod';
import type { SeriesComparison } from '../utilization/comparison.ts';

const level = z
  .strictObject({
    value: z
      .number()
      .describe('middle of the means of up to twelve parts of the time; of a counter that grows its growth'),
    spread: z.number().min(0).describe('how far these means are apart, without outliers'),
    samples: z.int().min(1),
  })
  .nullable()
  .describe('null: not measured on this side');

const change = z
  .strictObject({
    gpu: z.string().describe('GPU, or with by: node of more than two nodes, the node'),
    metric: z.string(),
    unit: z.string(),
    state: z.enum(['changed', 'equal', 'cannot-tell']),
    before: level,
    after: level,
    difference: z.number().nullable().describe('after less before'),
    noise: z.number().min(0).nullable().describe('deviation that the difference has by itself; null: too few samples'),
    since: z
      .strictObject({
        seconds: z.number(),
        text: z.string(),
        side: z
          .enum(['before', 'between', 'after'])
          .describe('the part that the new level begins in; between: with the second'),
      })
      .nullable()
      .describe('when the new level began; null: it did not change, or the parts do not follow each other'),
    because: z.string().nullable().describe('why nobody can tell'),
  })
  .meta({ id: 'series-change', description: 'one counter of one GPU on both sides' });

/** `culprit/series-comparison@1` */
export const seriesComparisonSchema: z.ZodType<SeriesComparison> = z
  .strictObject({
    schema: z.literal('culprit/series-comparison@1'),
    by: z.enum(['input', 'period', 'node']).describe('what the sides are'),
    answer: z.enum(['changed', 'equal', 'cannot-tell']),
    headline: z.string(),
    sides: z.array(
      z.strictObject({
        name: z.string(),
        from: z.string().nullable(),
        to: z.string().nullable(),
        gpus: z.int().min(0),
        samples: z.int().min(0),
      }),
    ),
    changed: z.array(change).describe('largest first'),
    equal: z.array(change),
    unclear: z.array(change),
    gone: z.array(z.string()).describe('GPUs that only the first side has'),
    added: z.array(z.string()).describe('GPUs that only the second side has'),
    left: z.array(z.string()).describe('what could not be read or joined'),
  })
  .describe('what culprit util --compare says');
