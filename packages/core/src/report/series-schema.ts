import { z } from 'zod';
import type { SeriesData } from '../utilization/series-data.ts';

const number = z.number();
const values = z.array(number.nullable());

/** `culprit/series@1` */
export const seriesSchema: z.ZodType<SeriesData> = z
  .strictObject({
    schema: z.literal('culprit/series@1'),
    clock: z
      .enum(['date', 'time-of-day', 'samples'])
      .describe(
        'what times count: seconds since 1970 by the clock that printed them, seconds since its midnight, or samples where no time was printed',
      ),
    gpus: z.array(
      z.strictObject({
        gpu: z.string().describe('index or UUID; of a second host with its name before a colon, of MIG with /gi'),
        called: z.string().describe('as a sentence names it'),
        name: z.string().nullable().describe('of the product; null: not printed'),
        samples: z.int().min(0),
        start: number.describe('time at which the first stretch begins'),
        step: number.min(0).describe('length of a stretch'),
        metrics: z.array(
          z.strictObject({
            id: z.string(),
            unit: z.string(),
            what: z.string(),
            samples: z.int().min(1),
            min: number,
            mean: number,
            max: number,
            means: values.describe('one for each stretch; null: nothing was measured in it'),
            lowest: values.nullable().describe('of each stretch; null: the same as means'),
            highest: values
              .nullable()
              .describe('of each stretch; null: the same as means. Of reasons: every bit that was set in it'),
          }),
        ),
      }),
    ),
    findings: z.array(
      z.strictObject({
        cause: z.string(),
        kind: z.enum(['fault', 'healthy', 'unclear']),
        certainty: z.enum(['proved', 'likely', 'possible']),
        message: z.string(),
        gpus: z.array(z.string()),
        measured: z.array(
          z.strictObject({
            name: z.string(),
            value: number,
            is: z.enum(['>=', '<=', '<', '>']),
            threshold: z.string(),
          }),
        ),
        metrics: z.array(z.string()).describe('those that show it'),
        marks: z
          .array(z.strictObject({ gpu: z.string(), from: number, to: number }))
          .describe('stretches of time in which it holds'),
        lines: z
          .array(z.strictObject({ metric: z.string(), threshold: z.string(), value: number }))
          .describe('thresholds of these metrics'),
      }),
    ),
    thresholds: z.record(z.string(), number).describe('what findings are held to'),
    left: z.int().min(0).describe('GPUs that are not here'),
  })
  .describe('time lines of GPUs with what was found on them');
