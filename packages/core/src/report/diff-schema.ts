import { z } from 'zod';
import type { Diff } from '../compare/diff.ts';

/** Shapes that all answers share. */
export interface SharedShapes {
  readonly layer: z.ZodType;
  readonly owner: z.ZodType;
  readonly evidence: z.ZodType;
  readonly remedy: z.ZodType;
}

/** `culprit/diff@1` */
export function diffSchemaOf({ layer, owner, evidence, remedy }: SharedShapes): z.ZodType<Diff> {
  const whole = z.int().min(0);
  const share = z
    .strictObject({
      with: whole.describe('subjects that it holds for'),
      known: whole.describe('subjects in which it could be read'),
      unknown: whole.describe('subjects in which it was not read'),
    })
    .meta({ id: 'share', description: 'how many subjects of a group something holds for' });
  const shares = z.array(share).length(2).describe('the first and the second group');
  const side = z.int().min(0).max(1).describe('0 the first group, 1 the second');
  const statement = z
    .strictObject({
      fact: z.string().describe('driver.version, package[torch], env[NCCL_ALGO], said.…'),
      title: z.string().describe('what the fact is, in words; of a message, what it means'),
      layer,
      holds: z.string().describe('the statement in words'),
      otherwise: z.array(z.string()).describe('what the others have instead'),
      shares,
      evidence: z.array(evidence),
    })
    .meta({ id: 'statement', description: 'a fact as a statement that holds for some subjects' });
  const change = z.strictObject({
    what: z.string(),
    first: z.string().describe('earliest time, as printed'),
    last: z.string().describe('latest time'),
    shares,
    evidence: z.array(evidence),
  });
  const separator = z
    .strictObject({
      how: z.enum(['one', 'all', 'any']),
      group: side,
      statements: z.array(statement).min(1),
      shares,
      p: z.number().min(0).max(1).describe('probability of such a division by chance (Fisher, two-sided)'),
      adjusted: z.number().min(0).max(1).describe('p times the number of statements that were tried'),
      chance: z.boolean().describe('true: chance could bring it about'),
      with: z.array(statement).describe('statements that go together with it'),
      rule: z
        .string()
        .nullable()
        .describe('the rule whose finding rests on it; null: that it separates proves no cause'),
      changes: z.array(change),
      covers: z.array(z.array(z.string())).describe('for any: the subjects that each statement covers'),
    })
    .meta({ id: 'separator', description: 'facts that tell the groups apart' });
  const measured = {
    collective: z.string().nullable(),
    bytes: z.number(),
    evidence: z.array(evidence),
  };
  return z
    .strictObject({
      schema: z.literal('culprit/diff@1'),
      answer: z.enum(['separated', 'no-difference', 'cannot-tell']),
      headline: z.string().describe('the answer in one line'),
      groups: z
        .array(
          z.strictObject({
            label: z.string(),
            subjects: z.array(z.string()),
            statuses: z.record(z.string(), whole).describe('verdicts of its subjects, as counts'),
          }),
        )
        .describe('two; one where results are only held against the table'),
      byVerdict: z.boolean().describe("true: the groups were made of the subjects' own verdicts"),
      outliers: z
        .array(z.strictObject({ subjects: z.array(z.string()).min(1), statements: z.array(statement).min(1) }))
        .describe('where no groups were named and verdicts are alike: who differs from all others, cleanest first'),
      corruption: z
        .array(
          z.strictObject({
            ...measured,
            subject: z.string(),
            group: side,
            wrong: z.number(),
            bytes: z.number().nullable(),
          }),
        )
        .describe('results that nccl-tests found to be wrong'),
      causes: z.array(
        z.strictObject({
          rule: z.string(),
          layer,
          owner,
          message: z.string(),
          shares,
          separates: z.boolean(),
          group: side,
          p: z.number().min(0).max(1).describe('probability of such a division by chance (Fisher, two-sided)'),
          adjusted: z.number().min(0).max(1).describe('p times the number of rules that found anything'),
          chance: z
            .boolean()
            .describe('true: chance could bring the division about; no matter where byVerdict is true'),
          restsOn: z.array(z.string()),
          remedies: z.array(remedy),
          evidence: z.array(evidence),
        }),
      ),
      separators: z.array(separator).describe('the smallest set that separates comes first'),
      nearest: z.array(separator).describe('what separates most, where nothing separates all'),
      lines: z
        .array(z.strictObject({ group: side, shares, text: z.string(), evidence }))
        .describe('the first class of lines of NCCL that only one group prints'),
      bandwidth: z.array(
        z.strictObject({
          ...measured,
          place: z.enum(['out-of-place', 'in-place']),
          first: z.number().describe('median bus bandwidth, GB/s'),
          second: z.number(),
          ratio: z.number().describe('lower over higher'),
          apart: z.boolean().describe('more than noise, and no subject of one group reaches the other'),
        }),
      ),
      expectations: z.array(
        z.strictObject({
          ...measured,
          subject: z.string(),
          platform: z.string(),
          about: z.string(),
          by: z.enum(['told', 'facts']),
          kind: z.enum(['floor', 'target', 'measured', 'per-adapter']),
          collective: z.string(),
          measured: z.number(),
          expected: z.number(),
          least: z.number().describe('least that passes'),
          below: z.boolean(),
          confirmed: z.boolean(),
          restsOn: z.array(z.string()),
          note: z.string().nullable(),
        }),
      ),
      equal: z.array(z.strictObject({ layer, fact: z.string(), value: z.string(), known: whole, of: whole })),
      oneSided: z.array(z.strictObject({ fact: z.string(), group: side, known: whole })),
      compared: z.strictObject({ facts: whole, varying: whole }),
      knowledge: z.strictObject({ asOf: z.iso.date(), digest: z.string() }),
    })
    .describe('what tells two groups apart') as unknown as z.ZodType<Diff>;
}
