import { z } from 'zod';
import { codeSchemas } from './schemas-codes.ts';
import { librarySchemas } from './schemas-libraries.ts';
import { id, line, ruleFields } from './schemas-shared.ts';
import type { RowSchemas } from './schemas-shared.ts';
import { stackSchemas } from './schemas-stack.ts';
import type { Citation } from './row.types.ts';

const citation: z.ZodType<Citation> = z.strictObject({ id, url: z.url({ protocol: /^https$/ }).max(500), title: line });

const rule: z.ZodType = z.strictObject(ruleFields);

/** Shape of one row, by table name. Slow to load: for tables that come from a file, not for start-up. */
export const rowSchemas: RowSchemas = {
  citations: citation,
  ...stackSchemas,
  ...librarySchemas,
  ...codeSchemas,
  'driver-notes': rule,
  'compat-rules': rule,
  'binary-rules': rule,
  'cudnn-rules': rule,
  'nccl-rules': rule,
  'wheel-notes': rule,
  'image-rules': rule,
  'occupancy-rules': rule,
};

interface FileShape {
  table?: string | undefined;
  asOf?: string | undefined;
  rows: unknown[];
  citations?: Citation[] | undefined;
}

/** Shape of a table file around its rows. */
export const fileSchema: z.ZodType<FileShape> = z.strictObject({
  table: z.string().max(200).optional(),
  asOf: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'not a date')
    .optional(),
  rows: z.array(z.unknown()),
  citations: z.array(citation).max(5000).optional(),
});
