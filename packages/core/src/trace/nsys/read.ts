import { TraceBuilder } from '../builder.ts';
import type { Trace } from '../model.ts';
import { isOfRecording } from '../remarks.ts';
import { TraceUnreadable } from '../unreadable.ts';
import { callTables, readCalls } from './calls.ts';
import { readCopies, readGraphs, readMemsets } from './copies.ts';
import type { SqlDatabase } from './database.ts';
import { SqlError } from './database.ts';
import { readPageFaults } from './faults.ts';
import { readKernels } from './kernels.ts';
import { Names } from './names.ts';
import { Places } from './places.ts';
import { readHostWaits, readRanges } from './ranges.ts';
import type { Reading } from './reading.ts';
import { readSession } from './session.ts';
import { columnsOf, quoted } from './tables.ts';
import { readRecordedEvents, readSynchronisations } from './waits.ts';

/** Tables of which an export of Nsight Systems has at least one. */
const signs: readonly RegExp[] = [
  /^CUPTI_ACTIVITY_KIND_/,
  /^(?:NVTX_EVENTS|OSRT_API|CUDA_UM_\w{1,60}|TARGET_INFO_GPU|META_DATA_EXPORT|ENUM_NSYS_\w{1,60}|GPU_METRICS)$/,
];

/** Beyond this, times count from another day than the session's start; the smallest one is taken away. */
const sessionTime = 2 ** 52;

/** Tables of what the GPU did. */
const workTables = [
  'CUPTI_ACTIVITY_KIND_KERNEL',
  'CUPTI_ACTIVITY_KIND_MEMCPY',
  'CUPTI_ACTIVITY_KIND_MEMSET',
  'CUPTI_ACTIVITY_KIND_GRAPH_TRACE',
];
/** Rows that room is made for at once; a number of a row can say anything. */
const mostReserved = 4_000_000;

/**
 * Reads an export of Nsight Systems (`nsys export -t sqlite`), of any age of its schema: tables that are absent or
 * damaged are said, the others are read (https://docs.nvidia.com/nsight-systems/UserGuide/index.html, SQLite schema).
 * @param file its name, for the evidence
 * @throws TraceUnreadable where it is no such export
 */
export function readNsys(db: SqlDatabase, file: string | null): Trace {
  if (!db.tables.some((table) => signs.some((sign) => sign.test(table)))) throw foreignDatabase(db);
  const builder = new TraceBuilder('nsys-sqlite', file);
  const zero = zeroOf(db);
  builder.zero = zero;
  const reading: Reading = {
    db,
    builder,
    names: new Names(db),
    places: new Places(db, builder),
    time: (column) => (zero === 0n ? quoted(column) : `${quoted(column)} - ${zero}`),
  };
  builder.reserve(
    workTables.reduce((sum, table) => sum + rowsAbout(db, table), 0),
    callTables.reduce((sum, table) => sum + rowsAbout(db, table), 0),
  );
  readSession(reading);
  const events = readRecordedEvents(reading);
  let calls = 0;
  for (const table of callTables) calls += readCalls(reading, table, events);
  const kernels = readKernels(reading);
  const copies = readCopies(reading) + readMemsets(reading);
  const graphs = readGraphs(reading);
  const waits = readSynchronisations(reading);
  const faults = readPageFaults(reading);
  readHostWaits(reading);
  const ranges = readRanges(reading);
  for (const table of [...callTables, ...workTables]) {
    const columns = columnsOf(db, table);
    if (columns.size > 0 && !columns.has('start'))
      builder.left.push(`${table} has no column start, as no table of Nsight Systems does, and was left out`);
  }
  if (reading.names.unread > 0) builder.left.push(`StringIds: ${reading.names.unread} names could not be read`);
  if (calls === 0) builder.notRecorded.add('calls');
  if (waits === 0) builder.notRecorded.add('synchronisations');
  if (faults === 0) builder.notRecorded.add('page-faults');
  if (ranges === 0) builder.notRecorded.add('ranges');
  // Kernels of a graph are absent where its executions are recorded as a whole.
  if (graphs > 0) builder.notRecorded.add('graph-nodes');
  const damage = builder.left.find((each) => !isOfRecording(each));
  if (kernels + copies + graphs === 0 && damage !== undefined && calls + ranges === 0)
    throw new TraceUnreadable('damaged', damage, 'export the report again: nsys export -t sqlite FILE');
  return builder.finish();
}

function foreignDatabase(db: SqlDatabase): TraceUnreadable {
  const [first] = db.tables;
  if (first === undefined)
    return new TraceUnreadable(
      'empty',
      'the database holds no tables',
      'an export that was cut off is empty: nsys export -t sqlite FILE',
    );
  const names = db.tables.slice(0, 3).map((table) => table.slice(0, 40));
  return new TraceUnreadable(
    'foreign',
    `the database is of another program: its tables are ${names.join(', ')}${db.tables.length > 3 ? ', …' : ''}`,
    'exports of Nsight Systems are read: nsys export -t sqlite FILE',
  );
}

/** What times are counted from: 0 where they count from the session's start, as they do in all but odd exports. */
function zeroOf(db: SqlDatabase): bigint {
  let least: bigint | null = null;
  for (const table of [...callTables, 'CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_MEMCPY', 'NVTX_EVENTS']) {
    if (!columnsOf(db, table).has('start')) continue;
    const first = oneOf(db, `select start from ${table} where start is not null limit 1`);
    if (first === null || (first > -sessionTime && first < sessionTime)) continue;
    const start = oneOf(db, `select min(start) from ${table} where start > 0`);
    if (start !== null && (least === null || start < least)) least = start;
  }
  return least ?? 0n;
}

/** About how many rows a table has, from the number of its last one; rows are not taken out of an export. */
function rowsAbout(db: SqlDatabase, table: string): number {
  if (columnsOf(db, table).size === 0) return 0;
  const last = Number(oneOf(db, `select max(rowid) from ${table}`) ?? 0n);
  return last > 0 && last < mostReserved ? last : 0;
}

function oneOf(db: SqlDatabase, sql: string): bigint | null {
  try {
    for (const [value] of db.rows(sql)) {
      if (typeof value === 'bigint') return value;
      if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
  }
  return null;
}
