import type { Trace } from '@culprit/core/trace/model';
import { readNsys } from '@culprit/core/trace/nsys/read';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import type { OpenDatabase } from './described.ts';

/**
 * Reads the export of Nsight Systems in a database, and closes it.
 * @param name what the evidence calls the file
 * @throws TraceUnreadable where it is no such export, or nothing of it can be read
 */
export function traceOf(database: OpenDatabase, name: string | null, called: string): Trace {
  try {
    const trace = readNsys(database, name);
    return database.damage === null ? trace : { ...trace, partial: true, left: [database.damage, ...trace.left] };
  } catch (error) {
    if (!(error instanceof TraceUnreadable)) throw error;
    const whole = database.damage === null ? error.message : `${database.damage}; ${error.message}`;
    throw new TraceUnreadable(error.code, `${called}: ${whole}`, error.hint);
  } finally {
    database.close();
  }
}
