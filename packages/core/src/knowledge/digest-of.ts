import type { Knowledge } from './knowledge.ts';
import { sha256 } from './sha256.ts';

/** Fingerprints of tables that were taken before: a table is plain data and never changes. */
const taken = new WeakMap<object, string>();

/**
 * Fingerprint of all tables: SHA-256 over the day and the fingerprint of each table, by key. That of a table is over
 * its JSON with sorted fields; patterns count with source and flags. The order of rows matters, that of fields does not.
 */
export function digestOf(knowledge: Knowledge): string {
  const lines = Object.entries(knowledge)
    .filter(([key]) => key !== 'digest')
    .map(([key, value]: [string, unknown]) => `${key} ${typeof value === 'string' ? value : fingerprint(value)}`)
    .sort();
  return `sha256:${hash(lines.join('\n'))}`;
}

function fingerprint(table: unknown): string {
  if (typeof table !== 'object' || table === null) return hash(canonical(table));
  const known = taken.get(table) ?? hash(canonical(table));
  taken.set(table, known);
  return known;
}

function hash(text: string): string {
  return sha256(new TextEncoder().encode(text));
}

function canonical(value: unknown): string {
  if (value instanceof RegExp) return JSON.stringify(`/${value.source}/${value.flags}`);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
