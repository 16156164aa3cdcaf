/*
 * What a reader of an export needs of SQLite. The adapters are in the package that may touch files; whoever has a
 * database in another way (a browser, a test) fits in here.
 */

export type SqlValue = number | bigint | string | Uint8Array | null;

/** A database that is only read. Its calls throw `SqlError` and nothing else. */
export interface SqlDatabase {
  /** Names of the tables, as the file has them; empty where its list cannot be read. */
  readonly tables: readonly string[];
  /** Columns of a table in their order; empty where there is no such table. */
  columns(table: string): readonly string[];
  /** Rows in the order of the select list. Whole numbers above 2^53 are bigints. */
  rows(sql: string, parameters?: readonly SqlValue[]): Iterable<readonly SqlValue[]>;
  /**
   * The road for millions of rows: each fills `row` and is handed on by a call, without an object of its own. Everything
   * is a number; a NULL comes as 0 or NaN, so that the query tells it apart where that matters; whole numbers above
   * 2^53 are rounded.
   * @param whole the table, where the query has neither a condition nor an order: it may then be read in parts
   * @throws SqlError after the rows that could be read
   */
  scan(sql: string, row: Float64Array, each: () => void, whole?: string): void;
}

/** Why a database does not answer. */
export type SqlErrorCode = 'damaged' | 'not-a-database' | 'unreadable' | 'query';

/** SQLite's own message, and what kind it is. */
export class SqlError extends Error {
  readonly code: SqlErrorCode;

  constructor(code: SqlErrorCode, message: string) {
    super(message);
    this.name = 'SqlError';
    this.code = code;
  }
}

/** The error for a message of SQLite (https://www.sqlite.org/rescode.html). */
export function sqlErrorOf(message: string): SqlError {
  const text = message.toLowerCase();
  if (text.includes('malformed') || text.includes('corrupt')) return new SqlError('damaged', message);
  if (text.includes('file is not a database') || text.includes('file is encrypted'))
    return new SqlError('not-a-database', message);
  if (text.includes('disk i/o error') || text.includes('unable to open') || text.includes('could not open'))
    return new SqlError('unreadable', message);
  return new SqlError('query', message);
}
