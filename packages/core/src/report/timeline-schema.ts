import { z } from 'zod';
import type { TimelineData } from './timeline-data.ts';

const long = z
  .array(z.tuple([z.int().min(0), z.number()]))
  .describe('index of the event, ns: what 32 bits do not hold');

/** `culprit/timeline@1` */
export const timelineSchema: z.ZodType<TimelineData> = z
  .strictObject({
    schema: z.literal('culprit/timeline@1'),
    lengthNs: z.number().min(0),
    events: z.int().min(0),
    left: z.int().min(0).describe('events that were left out'),
    names: z.array(z.string()),
    tracks: z.array(
      z.strictObject({
        title: z.string(),
        note: z.string(),
        group: z.string(),
        kind: z.enum(['stream', 'thread', 'ranges']),
        events: z.strictObject({
          count: z.int().min(0),
          columns: z
            .string()
            .describe(
              'base64 of gzip of four columns: distance of each start to the one before and length (u32, ns), index in names (u32), kind (u8)',
            ),
          from: z.number().describe('first start, ns from the begin of the time line'),
          longGaps: long,
          longEvents: long,
        }),
      }),
    ),
    findings: z.array(
      z.strictObject({
        cause: z.string(),
        kind: z.enum(['waste', 'healthy', 'unclear']),
        certainty: z.enum(['proved', 'likely', 'possible']),
        message: z.string(),
        savingNs: z.number().nullable().describe('upper bound of what the cure brings'),
        marks: z.array(
          z.strictObject({
            from: z.number(),
            to: z.number(),
            tracks: z.array(z.int().min(0)).describe('empty: all'),
            label: z.string(),
          }),
        ),
      }),
    ),
  })
  .describe('what the time line of a trace draws');
