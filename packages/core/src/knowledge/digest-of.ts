import type { Knowledge } from './knowledge.ts';
import { sha256 } from './sha256.ts';

/**
 * Fingerprint of all tables: SHA-256 over their JSON with sorted keys; patterns count with source and flags. The order
 * of rows matters, the order of fields does not, and an old digest inside is left out.
 */
export function digestOf(knowledge: Knowledge): string {
  const { digest: _old, ...content } = knowledge;
  return `sha256:${sha256(new TextEncoder().encode(canonical(content)))}`;
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
