import { z } from 'zod';
import type { Judgement } from '../compat/judgement.ts';
import { judgementRules } from '../compat/judgement.ts';
import { layers } from '../model/layer.ts';
import type { Evidence } from '../model/document.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Skew } from '../compare/skew.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import type { Inventory } from './inventory.ts';
import { binarySchema } from './binary-schema.ts';
import { timelineSchema } from './timeline-schema.ts';
import { traceComparisonSchema } from './trace-comparison-schema.ts';
import { seriesComparisonSchema } from './series-comparison-schema.ts';
import { diffSchemaOf } from './diff-schema.ts';
import { imageSchemasOf } from './image-schema.ts';
import { occupanciesSchema, occupancySchema } from './occupancy-schema.ts';
import { seriesSchema } from './series-schema.ts';
import { gateBreakerSchema, gatePolicySchema, gateSchemaOf, gateStateSchema } from './gate-schemas.ts';

// The published shapes of answers and inputs. Slow to load: for generating and testing, never for start-up.

const layer = z.enum(layers);
const owner = z.enum(['operator', 'developer', 'vendor', 'none']);
const certainty = z.enum(['proved', 'likely', 'possible']);
const count = z.int().min(1);

const evidence: z.ZodType<Evidence> = z
  .strictObject({
    subject: z
      .string()
      .describe('what was examined: text, host, container, image, other-host, after-fix, or the subject of a snapshot'),
    file: z.string().nullable().describe('name of the file; - for standard input'),
    source: z.string().describe('what was observed, or the reader that recognised it'),
    line: count.describe('line number, from 1'),
    column: count.describe('first character of text in the line, from 1; above 1 only in a slice of a long line'),
    text: z
      .string()
      .max(2048)
      .describe('the whole line as it stands in the input, or a slice of 2 KiB of a longer one'),
  })
  .meta({ id: 'evidence', description: 'a line that proves something' });

const remedy = z.strictObject({
  actor: z.enum(['node-admin', 'cluster-admin', 'image-owner', 'developer', 'vendor']),
  do: z.string(),
  command: z.string().optional(),
});

const finding: z.ZodType<Finding> = z
  .strictObject({
    rule: z.string().describe('layer/cause; culprit explain tells more'),
    layer,
    cause: z.string(),
    owner,
    certainty: certainty.describe(
      'proved: printed facts and a published rule decide it; likely: the deciding fact is missing; possible: one of several',
    ),
    message: z.string(),
    evidence: z.array(evidence).describe('at least one line, except for a finding that is only possible'),
    restsOn: z.array(z.string()).describe('citation ids of the tables'),
    explains: z
      .array(z.string())
      .describe('rules and messages that are only consequences of this; * at the end stands for any rest'),
    remedies: z.array(remedy).describe('the fix in order'),
  })
  .meta({ id: 'finding', description: 'a fault with its proof' }) as unknown as z.ZodType<Finding>;

/** `culprit/verdict@1` */
export const verdictSchema: z.ZodType<Verdict> = z
  .strictObject({
    schema: z.literal('culprit/verdict@1'),
    status: z.enum(['fault', 'performance', 'not-stack-fault', 'ok', 'cannot-tell']),
    headline: z.string().describe('the answer in one line'),
    layer: layer.nullable().describe('of the leading finding'),
    cause: z
      .string()
      .nullable()
      .describe('of the leading finding; ok and cannot-tell may name a cause without a finding'),
    owner,
    certainty: certainty.nullable().describe('of the leading finding'),
    findings: z.array(finding).describe('the leading one first'),
    cleared: z.array(z.strictObject({ layer, because: z.string(), evidence: z.array(evidence) })),
    unknown: z.array(
      z.strictObject({
        layer: layer.nullable(),
        missing: z.array(z.string()),
        ask: z.string().describe('one exact command'),
      }),
    ),
    facts: z.array(z.strictObject({ id: z.string(), value: z.unknown(), seen: z.array(evidence) })),
    knowledge: z
      .strictObject({ asOf: z.iso.date(), digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) })
      .describe('the tables that the verdict rests on'),
  })
  .describe('what culprit diagnose says of an input');

/** `culprit/judgement@1` */
export const judgementSchema: z.ZodType<Judgement> = z
  .strictObject({
    schema: z.literal('culprit/judgement@1'),
    id: z.string().optional().describe('of the question, with --rows'),
    answer: z
      .enum(['runs', 'runs-if', 'does-not-run', 'cannot-tell', 'true', 'false', 'depends'])
      .describe('true, false and depends for a claim'),
    rule: z.enum(judgementRules).describe('the rule that decided'),
    because: z.string().optional().describe('of a claim: the rule or reason behind the answer'),
    message: z.string(),
    conditions: z.array(z.string()).describe('what has to hold for runs-if'),
    clauses: z.array(
      z.strictObject({
        rule: z.enum(judgementRules),
        holds: z.boolean().nullable().describe('null: not known'),
        message: z.string(),
        restsOn: z.array(z.string()),
      }),
    ),
    errorSeen: z.string().nullable().describe('what the user would see; digits alone are a CUDA error code'),
    needs: z.string().nullable(),
    unknown: z.array(z.string()),
    asOf: z.string(),
  })
  .describe('does it run, and by which rule') as unknown as z.ZodType<Judgement>;

/** `culprit/snapshot@1` */
export const snapshotSchema: z.ZodType<Snapshot> = z
  .strictObject({
    schema: z.literal('culprit/snapshot@1'),
    subject: z.string(),
    takenAt: z.iso.datetime({ offset: true }).nullable(),
    probe: z.string().nullable().describe('version of the probe'),
    observations: z.array(
      z.strictObject({
        source: z.string().describe('proc-driver-version, nvidia-smi, ldconfig … or text'),
        command: z.string().nullable(),
        exit: z.int().nullable().describe('null: it did not run or did not end'),
        ms: z.number().min(0).nullable(),
        truncated: z.boolean(),
        why: z
          .string()
          .optional()
          .describe('why there is no exit status: absent, denied, timeout, unfinished, skipped:WORD'),
        text: z.string(),
      }),
    ),
  })
  .describe('raw outputs of one subject at one time') as unknown as z.ZodType<Snapshot>;

/** `culprit/matrix@1` */
const matrixSchema: z.ZodType = z
  .strictObject({
    schema: z.literal('culprit/matrix@1'),
    title: z.string(),
    rows: z.array(z.string()),
    columns: z.array(z.string()),
    cells: z.array(z.array(judgementSchema)).describe('a judgement for each row and column'),
    asOf: z.iso.date(),
  })
  .describe('a table of judgements');

const candidate: z.ZodType = z.strictObject({
  label: z.string(),
  kind: z.enum(['toolkit', 'torch', 'project']),
  answer: z.enum(['runs', 'runs-if', 'does-not-run', 'cannot-tell']),
  rule: z.enum(judgementRules),
  needs: z.string().nullable(),
});

/** `culprit/reverse@1` */
const reverseSchema: z.ZodType = z
  .strictObject({
    schema: z.literal('culprit/reverse@1'),
    host: z.record(z.string(), z.unknown()).describe('the host that was asked about'),
    base: judgementSchema.describe('is the host itself in order'),
    toolkits: z.array(candidate),
    torch: z.array(candidate),
    projects: z.array(candidate),
    asOf: z.iso.date(),
  })
  .describe('what runs on a host');

const block: z.ZodType = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
  z.strictObject({ kind: z.literal('list'), title: z.string(), items: z.array(z.string()), ordered: z.boolean() }),
  z.strictObject({ kind: z.literal('commands'), title: z.string(), commands: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('page'), markdown: z.string() }),
]);

const topicFields = {
  kind: z.enum([
    'rule',
    'cause',
    'status',
    'xid',
    'sxid',
    'message',
    'concept',
    'fact',
    'clause',
    'word',
    'table',
    'metric',
  ]),
  id: z.string().describe('what culprit explain takes'),
  title: z.string(),
  facts: z.array(z.tuple([z.string(), z.string()])),
  blocks: z.array(block),
  owner: owner.nullable(),
  see: z.array(z.string()).describe('ids of related topics'),
  sources: z.array(z.strictObject({ title: z.string(), url: z.string() })),
  confirmed: z.boolean().describe('false: not read in a primary source'),
};

/** `culprit/topic@1` */
const topicSchema: z.ZodType = z
  .strictObject({ schema: z.literal('culprit/topic@1'), ...topicFields })
  .describe('what culprit explain says of one thing');

/** `culprit/topics@1` */
const topicsSchema: z.ZodType = z
  .strictObject({ schema: z.literal('culprit/topics@1'), topics: z.array(z.strictObject(topicFields)) })
  .describe('several things that share a name or a number');

/** `culprit/concepts@1` */
const conceptsSchema: z.ZodType = z
  .strictObject({
    schema: z.literal('culprit/concepts@1'),
    concepts: z.array(z.strictObject({ id: z.string(), title: z.string() })),
  })
  .describe('the concepts that culprit explain knows');

/** `culprit/knowledge@1` */
const knowledgeSchema: z.ZodType = z
  .strictObject({
    schema: z.literal('culprit/knowledge@1'),
    asOf: z.iso.date(),
    digest: z.string(),
    tables: z.array(z.strictObject({ table: z.string(), rows: z.int().min(0) })),
  })
  .describe('the tables of this release');

const when = {
  schema: z.literal('culprit/follow@1'),
  seconds: z.number().min(0).describe('since the following began'),
  file: z.string().describe('- for standard input'),
  line: z.int().min(0).describe('lines that were read of the current file'),
};

/** `culprit/follow@1`: one line of what `diagnose --follow --format json` prints. */
const followSchema: z.ZodType = z
  .discriminatedUnion('event', [
    z
      .strictObject({
        ...when,
        event: z.literal('finding'),
        status: z.enum(['fault', 'performance', 'not-stack-fault', 'ok', 'cannot-tell']),
        finding,
        explains: z.array(z.string()).describe('rules that were told before and are only consequences of this one'),
      })
      .describe('a finding became decidable; told once'),
    z
      .strictObject({ ...when, event: z.literal('certainty'), was: certainty, now: certainty, finding })
      .describe('a finding that was told is surer now, or less sure'),
    z
      .strictObject({ ...when, event: z.literal('explained'), rule: z.string(), by: z.string() })
      .describe('a finding that was told is only a consequence of another'),
    z
      .strictObject({ ...when, event: z.literal('withdrawn'), rule: z.string(), because: z.string() })
      .describe('a finding that was told does not hold any more'),
    z
      .strictObject({
        ...when,
        event: z.literal('file'),
        what: z.enum(['waiting', 'opened', 'replaced', 'truncated', 'gone']),
      })
      .describe('what happened to the file; after replaced and truncated lines count from 1 again'),
    z.strictObject({ ...when, event: z.literal('verdict'), verdict: verdictSchema }).describe('the last line'),
  ])
  .describe('one line of JSON while culprit diagnose --follow runs');

const diffSchema = diffSchemaOf({ layer, owner, evidence, remedy });

const orNull = z.string().nullable();

/** `culprit/inventory@1` */
const inventorySchema: z.ZodType<Inventory> = z
  .strictObject({
    schema: z.literal('culprit/inventory@1'),
    takenAt: orNull,
    sections: z.array(
      z.strictObject({
        title: z.string(),
        items: z.array(z.strictObject({ what: z.string(), version: orNull, where: orNull, note: orNull })),
      }),
    ),
    unknown: z.array(z.strictObject({ source: z.string(), why: z.string() })).describe('what was not seen, and why'),
  })
  .describe('the GPU stack of one subject');

const skew: z.ZodType<Skew> = z.strictObject({
  what: z.string(),
  layer,
  domain: orNull.describe('NVLink domain whose members differ; null for all targets together'),
  rule: orNull.describe('the rule that such a difference breaks; null where it is only said'),
  certainty: certainty.nullable().describe('null where no rule is broken'),
  message: z.string(),
  values: z.array(z.strictObject({ value: z.string(), targets: z.array(z.string()) })),
  remedies: z.array(remedy),
  evidence: z.array(evidence).describe('one line for each value'),
}) as unknown as z.ZodType<Skew>;

/** `culprit/targets@1` */
const targetsSchema: z.ZodType = z
  .strictObject({
    schema: z.literal('culprit/targets@1'),
    targets: z.array(
      z.strictObject({
        target: z.string(),
        failure: orNull.describe('why it, or a part of it, could not be looked at'),
        verdict: verdictSchema.nullable().describe('null: it was not reached'),
      }),
    ),
    common: z
      .array(z.strictObject({ rule: z.string(), targets: z.array(z.string()), remedies: z.array(remedy) }))
      .describe('causes that several targets share, each once'),
    skew: z.array(skew).describe('what differs among targets that should be alike; what breaks a rule first'),
    diff: diffSchema.nullable().describe('what tells the failing from the passing targets, where there are both'),
  })
  .describe('one verdict each of several targets');

const imageSchemas = imageSchemasOf(finding);

const published = {
  verdict: verdictSchema,
  judgement: judgementSchema,
  snapshot: snapshotSchema,
  matrix: matrixSchema,
  reverse: reverseSchema,
  topic: topicSchema,
  topics: topicsSchema,
  concepts: conceptsSchema,
  knowledge: knowledgeSchema,
  diff: diffSchema,
  'series-comparison': seriesComparisonSchema,
  'trace-comparison': traceComparisonSchema,
  timeline: timelineSchema,
  follow: followSchema,
  inventory: inventorySchema,
  targets: targetsSchema,
  binary: binarySchema,
  image: imageSchemas.image,
  images: imageSchemas.images,
  occupancy: occupancySchema,
  occupancies: occupanciesSchema,
  series: seriesSchema,
  gate: gateSchemaOf(finding),
  'gate-policy': gatePolicySchema,
  'gate-breaker': gateBreakerSchema,
  'gate-state': gateStateSchema,
} as const;

/** Names of the published schemas. */
export const schemaNames: readonly string[] = Object.keys(published);

/** A schema as JSON Schema (draft 2020-12) in the form it is published in. */
export function publishedSchema(name: string): object {
  const shape = published[name as keyof typeof published];
  return { $id: `culprit/${name}@1`, ...z.toJSONSchema(shape, { target: 'draft-2020-12' }) };
}
