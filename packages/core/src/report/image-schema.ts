import { z } from 'zod';
import type { ImageReport } from '../image/model.ts';
import type { Finding } from '../model/verdict.ts';

// The published shape of what `culprit image` says.

const text = z.string();
const orNull = text.nullable();
const truth = z.boolean().nullable();

const inventory = z.strictObject({
  os: z.strictObject({ id: orNull, version: orNull }),
  env: z.array(z.strictObject({ name: text, value: text })).describe('variables of the GPU stack and of search paths'),
  entrypoint: z.array(text),
  toolkits: z.array(z.strictObject({ version: orNull, path: text, cudart: orNull })),
  libcuda: z.array(
    z.strictObject({
      path: text,
      kind: z.enum(['stub', 'compat', 'baked', 'ghost']),
      version: orNull.describe('driver release of the file'),
      cuda: orNull.describe('CUDA version that it brings'),
      note: z.array(z.int()).nullable().describe('driver branches that its note lists; null: it has no note'),
    }),
  ),
  libraries: z.array(
    z.strictObject({
      name: text,
      version: orNull,
      path: text,
      wins: z.boolean().describe('a process of the image’s environment gets this copy'),
    }),
  ),
  packages: z.array(z.strictObject({ name: text, version: orNull, environment: text })),
  code: z
    .array(z.strictObject({ path: text, sass: z.array(text), ptx: z.array(text) }))
    .describe('GPU code of the libraries that were read'),
});

const prediction = z.strictObject({
  on: z.record(text, z.union([text, z.boolean()])).describe('the keys of the node'),
  mode: z.enum(['legacy', 'csv', 'cdi', 'jit-cdi', 'none']).nullable().describe('injection mode; null: not known'),
  requirement: z.strictObject({
    checked: truth,
    holds: truth,
    terms: z.array(
      z.strictObject({
        term: text,
        holds: truth,
        inCsv: truth.optional().describe('by the evaluator of CSV mode, where it says otherwise; null: passed over'),
      }),
    ),
  }),
  starts: truth.describe('false: the start is refused'),
  compat: z.strictObject({
    used: truth,
    by: z
      .enum(['mount', 'ldconfig', 'hook', 'elf-note', 'major', 'entrypoint', 'ld.so.conf', 'LD_LIBRARY_PATH'])
      .nullable(),
  }),
  libcuda: z.strictObject({
    kind: z.enum(['host', 'compat', 'baked', 'stub', 'none']).nullable().describe('null: not decided'),
    version: orNull,
    path: orNull,
  }),
  answer: z.enum(['runs', 'runs-if', 'does-not-run', 'cannot-tell']),
  rule: orNull.describe('rule that decided; null where several ways decide by different ones'),
  errorSeen: orNull.describe('digits alone are a CUDA error code'),
  unknown: z.array(text).describe('what was not known'),
  message: text,
  conditions: z.array(text).describe('what has to hold for runs-if'),
  needs: orNull,
  clauses: z.array(z.strictObject({ rule: text, holds: truth, message: text, restsOn: z.array(text) })),
  injects: z
    .strictObject({
      folder: orNull.describe('folder of the container with the driver libraries'),
      capabilities: z.array(text).nullable().describe('null: the mode injects all'),
      libraries: z.array(text),
    })
    .nullable(),
  node: text.optional().describe('name of the node'),
});

/** `culprit/image@1` and `culprit/images@1` */
export function imageSchemasOf(finding: z.ZodType<Finding>): {
  readonly image: z.ZodType<ImageReport>;
  readonly images: z.ZodType;
} {
  const image = z
    .strictObject({
      schema: z.literal('culprit/image@1'),
      reference: text,
      digest: orNull.describe('of the manifest; null where the source has none'),
      platform: text,
      status: z.enum(['fault', 'performance', 'not-stack-fault', 'ok', 'cannot-tell']).describe('of the image alone'),
      inventory,
      findings: z.array(finding),
      predictions: z.array(prediction).describe('one for each node'),
    })
    .describe('what is in an image, and what it does on which node') as unknown as z.ZodType<ImageReport>;
  const images = z
    .strictObject({ schema: z.literal('culprit/images@1'), images: z.array(image) })
    .describe('several images, each on the same nodes');
  return { image, images };
}
