import { statSync } from 'node:fs';
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
  const trace = traceOf(await openSqlite(path, called, engine), name, called);
  const unwritten = besideOf(path, called);
  return unwritten.length === 0 ? trace : { ...trace, partial: true, left: [...unwritten, ...trace.left] };
}

/** Bytes of a log without a page (https://www.sqlite.org/fileformat.html#the_write_ahead_log). */
const emptyLog = 32;

/** What lies beside a database that a program has not finished. */
function besideOf(path: string, called: string): readonly string[] {
  const size = (end: string): number => {
    try {
      return statSync(path + end).size;
    } catch {
      return 0;
    }
  };
  return [
    ...(size('-wal') > emptyLog
      ? [`${called}-wal holds changes that are not in the file yet, and were not read: a program still writes it`]
      : []),
    ...(size('-journal') > 0
      ? [`${called}-journal says that the file was being written when it broke off: export the report again`]
      : []),
  ];
}
