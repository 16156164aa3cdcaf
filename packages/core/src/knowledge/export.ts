import type { Knowledge } from './knowledge.ts';
import { tables } from './tables.ts';
import type { Citation } from './row.types.ts';

/** A table as a JSON file. `applyOverride` takes the same form back. */
export interface TableFile {
  readonly table: string;
  readonly asOf: string;
  readonly rows: readonly unknown[];
  /** The citations that its rows name. */
  readonly citations: readonly Citation[];
}

/** Each table as plain JSON with the citations its rows name, by table name. Signatures hold patterns and stay out. */
export function exportKnowledge(knowledge: Knowledge): Record<string, TableFile> {
  const byId = new Map(knowledge.citations.map((citation) => [citation.id, citation]));
  const files: Record<string, TableFile> = {};
  for (const { name, key } of tables) {
    const rows: readonly object[] = knowledge[key];
    const named = new Set<unknown>(
      rows.flatMap((row) => ('sources' in row && Array.isArray(row.sources) ? row.sources : [])),
    );
    const citations = [...byId.keys()]
      .filter((id) => named.has(id))
      .sort()
      .flatMap((id) => byId.get(id) ?? []);
    files[name] = { table: name, asOf: knowledge.asOf, rows, citations };
  }
  return files;
}
