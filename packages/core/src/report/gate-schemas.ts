import { z } from 'zod';
import { actions } from '../gate/policy.ts';

// Shapes of the gate's files. The gate itself reads them without this: it has to start soon.

const rule = z
  .string()
  .regex(/^(?:\*|[a-z][a-z0-9-]{0,40}\/(?:\*|[a-z0-9][a-z0-9-]{0,120}\*?))$/)
  .describe('id of a rule; * at its end stands for any rest');
const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** `culprit/gate-policy@1` */
export const gatePolicySchema: z.ZodType = z
  .strictObject({
    $schema: z.string().optional(),
    schema: z.literal('culprit/gate-policy@1'),
    rules: z
      .record(rule, z.enum(actions))
      .optional()
      .describe('what is done with a fault; the most specific pattern decides, what none names is told (warn)'),
    silences: z
      .array(
        z.strictObject({
          rule,
          until: moment.describe('a day, to its end in UTC, or a moment'),
          because: z.string().optional(),
        }),
      )
      .optional()
      .describe('rules that are not enforced for a time'),
    rollout: z
      .strictObject({ minUptimeMinutes: z.number().min(0).max(1440).optional().describe('default 10') })
      .optional(),
    secondReading: z
      .strictObject({
        pauseMs: z.number().min(0).max(10_000).optional().describe('between the two readings of a run; default 150'),
        stateMinutes: z
          .number()
          .min(0)
          .max(43_200)
          .optional()
          .describe('how long a previous run counts as first reading; default 1440'),
      })
      .optional(),
    breaker: z
      .strictObject({ maxAgeMinutes: z.number().min(0).max(43_200).optional().describe('default 60') })
      .optional(),
  })
  .describe('what culprit check --gate may do with what it finds');

/** `culprit/gate-breaker@1` */
export const gateBreakerSchema: z.ZodType = z
  .strictObject({
    schema: z.literal('culprit/gate-breaker@1'),
    at: moment.describe('when it was written; what is too old stops enforcement'),
    open: z.boolean().optional().describe('true: nothing is enforced'),
    because: z.string().optional(),
    enforced: z.int().min(0).optional().describe('nodes that are out'),
    most: z.int().min(0).optional().describe('nodes that may be out'),
  })
  .describe('written by a system that sees all nodes: whether more of them may be taken out');

/** `culprit/gate-state@1` */
export const gateStateSchema: z.ZodType = z
  .strictObject({
    schema: z.literal('culprit/gate-state@1'),
    at: z.iso.datetime({ offset: true }),
    boot: z.string().nullable().describe('boot id of the kernel'),
    seen: z.array(z.strictObject({ rule: z.string(), message: z.string(), since: z.iso.datetime({ offset: true }) })),
  })
  .describe('what a run of the gate leaves for the next one');

/** `culprit/gate@1`, the answer of `--format json`. @param finding shape of a finding */
export function gateSchemaOf(finding: z.ZodType): z.ZodType {
  return z
    .strictObject({
      schema: z.literal('culprit/gate@1'),
      outcome: z.enum(['enforced', 'held', 'warn', 'ok', 'unknown']).describe('enforced alone has exit status 1'),
      line: z.string().max(100),
      complete: z.boolean().describe('the probe came to its end'),
      items: z.array(
        z.strictObject({
          action: z.enum(['warn', 'enforce']),
          held: z
            .array(
              z.strictObject({
                hold: z.enum([
                  'not-proved',
                  'one-source',
                  'not-the-node',
                  'rollout',
                  'silenced',
                  'breaker',
                  'seen-once',
                ]),
                why: z.string(),
              }),
            )
            .describe('why an enforced fault is only told'),
          finding,
        }),
      ),
      notes: z.array(z.string()),
      knowledge: z.strictObject({ asOf: z.iso.date(), digest: z.string() }),
    })
    .describe('what culprit check --gate decided, and why');
}
