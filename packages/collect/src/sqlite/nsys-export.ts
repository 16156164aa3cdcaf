import type { Trace } from '@culprit/core/trace/model';
import type { SqliteEngine } from './open.ts';
import { openSqlite } from './open.ts';
import { traceOf } from './trace-of.ts';

/**
 * Reads an SQLite export of Nsight Systems from a file.
 * @param name what the evidence calls the file
 * @throws TraceUnreadable where it is no such export, or nothing of it can be read
 */
export async function readNsysExport(path: string, name: string | null = path, engine?: SqliteEngine): Promise<Trace> {
  const called = name ?? path;
  return traceOf(await openSqlite(path, called, engine), name, called);
}
