import type { Trace } from '@culprit/core/trace/model';
import { readNsys } from '@culprit/core/trace/nsys/read';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import type { SqliteEngine } from './open.ts';
import { openSqlite } from './open.ts';

/**
 * Reads an SQLite export of Nsight Systems from a file.
 * @param name what the evidence calls the file
 * @throws TraceUnreadable where it is no such export, or nothing of it can be read
 */
export async function readNsysExport(path: string, name: string | null = path, engine?: SqliteEngine): Promise<Trace> {
  const called = name ?? path;
  const database = await openSqlite(path, called, engine);
  try {
    const trace = readNsys(database, name);
    return database.damage === null ? trace : { ...trace, left: [database.damage, ...trace.left] };
  } catch (error) {
    if (!(error instanceof TraceUnreadable)) throw error;
    const whole = database.damage === null ? error.message : `${database.damage}; ${error.message}`;
    throw new TraceUnreadable(error.code, `${called}: ${whole}`, error.hint);
  } finally {
    database.close();
  }
}
