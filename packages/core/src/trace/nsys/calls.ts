import { callKindOf } from '../calls.ts';
import { callKinds } from '../model.ts';
import { Quotes } from './quotes.ts';
import type { Reading } from './reading.ts';
import { isTime, scanTable } from './reading.ts';
import { planOf } from './tables.ts';

/** Tables of calls; driver calls stand with those of the runtime in all but early exports. */
export const callTables: readonly string[] = ['CUPTI_ACTIVITY_KIND_RUNTIME', 'CUPTI_ACTIVITY_KIND_DRIVER'];

/** Where the record of an event stands: its stream and number. */
export interface RecordedEvent {
  readonly stream: number;
  readonly event: number | null;
}

/**
 * Reads the calls of the CUDA runtime and driver.
 * @param events recorded events by the correlation number of the call that recorded them: only the call has their time
 * @returns how many rows
 */
export function readCalls(reading: Reading, table: string, events: ReadonlyMap<number, RecordedEvent>): number {
  const { db, builder, names, places, time } = reading;
  const plan = planOf(db, table, {
    start: { sql: time('start'), needs: ['start'], orNothing: true },
    end: { sql: time('end'), needs: ['end'] },
    thread: { sql: '"globalTid" & 281474976710655', needs: ['globalTid'] },
    correlation: { sql: 'correlationId' },
    name: { sql: 'nameId', orNothing: true },
  });
  if (plan === null) return 0;
  const { at, row } = plan;
  const quotes = new Quotes(reading, plan.table);
  const calls = new Map<number, { readonly name: number; readonly records: boolean }>();
  const callOf = (id: number): { readonly name: number; readonly records: boolean } => {
    const before = calls.get(id);
    if (before !== undefined) return before;
    const text = names.text(id) ?? '(call without a name)';
    const made = { name: builder.name(text), records: callKindOf(text) === callKinds.eventRecord };
    calls.set(id, made);
    return made;
  };
  let lastId = Number.NaN;
  let call = { name: 0, records: false };
  let lastThread = Number.NaN;
  let thread = 0;
  return scanTable(reading, plan, (_, count) => {
    const start = row[at.start]!;
    if (!isTime(start)) return false;
    const id = row[at.name]!;
    if (id !== lastId) {
      lastId = id;
      call = callOf(id);
    }
    const global = row[at.thread]!;
    if (global !== lastThread) {
      lastThread = global;
      thread = places.thread(global);
    }
    const end = row[at.end]!;
    const correlation = places.correlation(global, row[at.correlation]!);
    builder.call(start, end, call.name, thread, correlation);
    if (call.records && events.size > 0) {
      const event = events.get(correlation);
      if (event !== undefined) builder.synchronisations.push({ kind: 'event-record', start, end, ...event });
    }
    if (quotes.isFirst(call.name, 0))
      quotes.call(call.name, count, {
        start,
        end,
        globalTid: global,
        correlationId: row[at.correlation]!,
        nameId: id,
      });
    return true;
  });
}
