import type { SqlDatabase } from '@culprit/core/trace/nsys/database';

/** What an engine has to bring; the list of tables and columns is read by the same queries with each. */
export interface RawDatabase extends Pick<SqlDatabase, 'rows'> {
  /** Hands on the rows of a query as `SqlDatabase.scan` does. */
  scan(sql: string, row: Float64Array, each: () => void): void;
  /** A query over a table that is read part by part, where the engine can; @throws SqlError where rows have no numbers */
  parts?(sql: string): TableParts;
  exec(sql: string): void;
  close(): void;
}

/** A table of which any part can be read. */
export interface TableParts {
  /** Hands on the rows whose numbers lie between two, both included, up to 2^31. @throws SqlError */
  read(first: number, last: number, row: Float64Array, each: () => void): void;
  close(): void;
}

/**
 * A path as the address of a file that nobody changes (https://www.sqlite.org/uri.html): SQLite then looks for neither a
 * lock nor a journal, and makes none beside it.
 */
export function addressOf(path: string): string {
  const escaped = encodeURI(path).replaceAll('?', '%3f').replaceAll('#', '%23');
  return `file:${escaped}?immutable=1`;
}
