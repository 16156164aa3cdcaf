import type { RecordedEvent } from './calls.ts';
import { syncTypesOf } from './enums.ts';
import type { Reading } from './reading.ts';
import { isTime, scanTable } from './reading.ts';
import { known, planOf } from './tables.ts';

/** Waits and events that are kept: each is an object of its own. */
const most = 400_000;

/** Reads CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; @returns how many rows */
export function readSynchronisations(reading: Reading): number {
  const { db, builder, places, time } = reading;
  const plan = planOf(db, 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', {
    start: { sql: time('start'), needs: ['start'], orNothing: true },
    end: { sql: time('end'), needs: ['end'] },
    device: { sql: 'deviceId' },
    context: { sql: 'contextId' },
    stream: { sql: 'streamId' },
    process: { sql: 'globalPid' },
    type: { sql: 'syncType', orNothing: true },
    event: { sql: 'eventId', orNothing: true },
  });
  if (plan === null) return 0;
  const { at, row } = plan;
  const kindOf = syncTypesOf(db);
  let left = 0;
  const count = scanTable(reading, plan, () => {
    const [start, end] = [row[at.start]!, row[at.end]!];
    if (!isTime(start)) return false;
    const kind = kindOf(row[at.type]!);
    if (kind === null) return true;
    if (builder.synchronisations.length >= most) {
      left++;
      return true;
    }
    builder.synchronisations.push({
      kind,
      start,
      end: isTime(end) && end >= start ? end : start,
      stream:
        kind === 'context' ? -1 : places.stream(row[at.process]!, row[at.device]!, row[at.context]!, row[at.stream]!),
      event: kind === 'stream' || kind === 'context' ? null : eventNumber(row[at.event]!),
    });
    return true;
  });
  if (left > 0) builder.left.push(`${plan.table}: ${left} waits beyond the first ${most} were left out`);
  return count;
}

/** Numbers of events: 4294967295 stands for none. */
function eventNumber(value: number): number | null {
  const number = known(value);
  return number === null || number < 0 || number === 4_294_967_295 ? null : number;
}

/** Reads CUPTI_ACTIVITY_KIND_CUDA_EVENT: recorded events by the correlation number of their call. */
export function readRecordedEvents(reading: Reading): ReadonlyMap<number, RecordedEvent> {
  const events = new Map<number, RecordedEvent>();
  const { db, builder, places } = reading;
  const plan = planOf(db, 'CUPTI_ACTIVITY_KIND_CUDA_EVENT', {
    device: { sql: 'deviceId' },
    context: { sql: 'contextId' },
    stream: { sql: 'streamId' },
    process: { sql: 'globalPid' },
    correlation: { sql: 'correlationId' },
    event: { sql: 'eventId', orNothing: true },
  });
  if (plan === null) return events;
  const { at, row } = plan;
  let left = 0;
  scanTable(reading, plan, () => {
    const correlation = places.correlation(row[at.process]!, row[at.correlation]!);
    if (events.size >= most) left++;
    else if (correlation >= 0)
      events.set(correlation, {
        stream: places.stream(row[at.process]!, row[at.device]!, row[at.context]!, row[at.stream]!),
        event: eventNumber(row[at.event]!),
      });
    return true;
  });
  if (left > 0) builder.left.push(`${plan.table}: ${left} events beyond the first ${most} were left out`);
  return events;
}
