import { digestOf } from './digest-of.ts';
import { integrityErrors } from './integrity.ts';
import type { Knowledge } from './knowledge.ts';
import type { Citation } from './row.types.ts';
import { fileSchema, rowSchemas } from './schemas.ts';
import { tables } from './tables.ts';

/** Most rows of one table; the largest of this release has some hundred. */
const maxRows = 20_000;
/** Most errors that are listed. */
const maxErrors = 50;

export type OverrideResult = { readonly knowledge: Knowledge } | { readonly errors: readonly string[] };

/**
 * Replaces whole tables: `files` holds the parsed JSON of each, by table name (`toolkits`), either its rows alone or the
 * form of `exportKnowledge`, whose citations are added to the known ones. Gives the new tables with a digest of their
 * own, or every error found, each with table, row, field and reason; it never throws. Loads the schema library, so
 * import this module only when tables are to be replaced.
 */
export function applyOverride(base: Knowledge, files: ReadonlyMap<string, unknown>): OverrideResult {
  const errors: string[] = [];
  const replaced: Record<string, readonly unknown[]> = {};
  let citations: readonly Citation[] = base.citations;
  let asOf = base.asOf;
  for (const [name, content] of files) {
    const info = tables.find((table) => table.name === name);
    if (info === undefined) {
      errors.push(
        name === 'signatures'
          ? 'signatures: they hold patterns and cannot be replaced'
          : `${short(name)}: there is no such table`,
      );
      continue;
    }
    const file = readFile(name, content, errors);
    if (file === null) continue;
    if (file.asOf !== null && file.asOf > asOf) asOf = file.asOf;
    replaced[info.key] = readRows(name, file.rows, errors);
    if (name !== 'citations') citations = addCitations(name, citations, file.citations, errors);
  }
  if (errors.length > 0) return { errors: limited(errors) };
  const own = replaced['citations'] as readonly Citation[] | undefined;
  const all =
    own === undefined
      ? citations
      : addCitations(
          'citations',
          own,
          citations.filter((citation) => !base.citations.includes(citation)),
          errors,
        );
  const knowledge: Knowledge = { ...base, ...replaced, citations: all, asOf, digest: '' };
  for (const error of integrityErrors(knowledge)) {
    errors.push(`${error.table} row ${error.row}, field ${error.field}: ${error.reason}`);
  }
  if (errors.length > 0) return { errors: limited(errors) };
  return { knowledge: { ...knowledge, digest: digestOf(knowledge) } };
}

interface ReadFile {
  readonly asOf: string | null;
  readonly rows: readonly unknown[];
  readonly citations: readonly Citation[];
}

function readFile(name: string, content: unknown, errors: string[]): ReadFile | null {
  const wrapped: unknown = Array.isArray(content) ? { rows: content } : content;
  const result = fileSchema.safeParse(wrapped);
  if (!result.success) {
    for (const issue of result.error.issues)
      errors.push(`${name}, field ${pathOf(issue.path) || 'whole file'}: ${short(issue.message)}`);
    return null;
  }
  const { rows, citations, asOf, table } = result.data;
  if (table !== undefined && table !== name)
    errors.push(`${name}, field table: the file says it is the table ${short(table)}`);
  if (rows.length > maxRows) {
    errors.push(`${name}: ${rows.length} rows are more than the ${maxRows} that are read`);
    return null;
  }
  return { rows, citations: citations ?? [], asOf: asOf ?? null };
}

function readRows(name: string, rows: readonly unknown[], errors: string[]): readonly unknown[] {
  const schema = rowSchemas[name];
  if (schema === undefined) return [];
  const read: unknown[] = [];
  for (const [at, row] of rows.entries()) {
    if (errors.length > maxErrors) break;
    const result = schema.safeParse(row);
    if (result.success) read.push(result.data);
    else
      for (const issue of result.error.issues)
        errors.push(`${name} row ${at + 1}, field ${pathOf(issue.path) || 'whole row'}: ${short(issue.message)}`);
  }
  return read;
}

function addCitations(
  name: string,
  known: readonly Citation[],
  more: readonly Citation[],
  errors: string[],
): readonly Citation[] {
  const byId = new Map(known.map((citation) => [citation.id, citation]));
  const added: Citation[] = [];
  for (const citation of more) {
    const same = byId.get(citation.id);
    if (same === undefined) {
      byId.set(citation.id, citation);
      added.push(citation);
    } else if (same.url !== citation.url) {
      errors.push(`${name}, field citations: ${short(citation.id)} is known with another address`);
    }
  }
  return added.length === 0 ? known : [...known, ...added];
}

function pathOf(path: readonly PropertyKey[]): string {
  return short(path.map(String).join('.'));
}

/** Texts of a stranger's file are cut before they are shown, and lose control characters. */
function short(text: string): string {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean;
}

function limited(errors: readonly string[]): readonly string[] {
  if (errors.length <= maxErrors) return errors;
  return [...errors.slice(0, maxErrors), `and ${errors.length - maxErrors} more`];
}
