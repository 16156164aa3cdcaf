import type { SqlDatabase } from '@culprit/core/trace/nsys/database';

/** What an engine has to bring; the list of tables and columns is read by the same queries with each. */
export interface RawDatabase extends Pick<SqlDatabase, 'rows' | 'scan'> {
  exec(sql: string): void;
  close(): void;
}
