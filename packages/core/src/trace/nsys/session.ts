import { overheadRemark, toolRemark } from '../remarks.ts';
import type { Reading } from './reading.ts';
import { rowsOf } from './reading.ts';
import { columnsOf } from './tables.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'bigint' ? Number(value) : Number(value ?? Number.NaN));

/** Reads what is said of the session: who wrote the export, what the tool complained of, samples, ranks, names of threads. */
export function readSession(reading: Reading): void {
  readProducer(reading);
  readDiagnostics(reading);
  readOverhead(reading);
  readMetrics(reading);
  readThreadNames(reading);
  readRank(reading);
}

function readProducer(reading: Reading): void {
  const { db, builder } = reading;
  const table = ['META_DATA_EXPORT', 'META_DATA'].find((each) => columnsOf(db, each).has('value'));
  if (table === undefined) return;
  const rows = rowsOf(reading, table, `select name, substr(value, 1, 200) from ${table}`, 500);
  const found = new Map(rows.map(([name, value]) => [textOf(name).toUpperCase(), textOf(value)]));
  const version = found.get('EXPORT_PRODUCT_VERSION') ?? found.get('PRODUCT_VERSION');
  builder.producer = version === undefined || version === '' ? 'Nsight Systems' : `Nsight Systems ${version}`;
}

/** Complaints of the tool itself; that events are missing changes what the numbers mean. */
function readDiagnostics({ db, builder }: Reading): void {
  const columns = columnsOf(db, 'DIAGNOSTIC_EVENT');
  if (!columns.has('text')) return;
  const rows = rowsOf(
    { db, builder },
    'DIAGNOSTIC_EVENT',
    'select distinct substr("text", 1, 400) from DIAGNOSTIC_EVENT limit 2000',
    2000,
  );
  const missing =
    /\b(?:dropp(?:ed|ing)|lost|losing|discard(?:ed|ing)|truncated|overflow(?:ed)?|incomplete|missing|not all\b|might (?:have|be)|may (?:have|be)|could not|failed)\b/i;
  let shown = 0;
  for (const [text] of rows)
    // Names of functions of the CPU are no events.
    if (missing.test(textOf(text)) && !/\bsymbols\b/i.test(textOf(text)) && shown++ < 20)
      builder.left.push(
        `${toolRemark} ${textOf(text)
          .replaceAll(/\s{1,400}/g, ' ')
          .trim()}`,
      );
}

/** Time that the profiler itself took, where it is not little. */
function readOverhead({ db, builder }: Reading): void {
  const columns = columnsOf(db, 'PROFILER_OVERHEAD');
  if (!columns.has('start') || !columns.has('end')) return;
  const rows = rowsOf(
    { db, builder },
    'PROFILER_OVERHEAD',
    'select count(*), total("end" - "start"), max("end") - min("start") from PROFILER_OVERHEAD where "end" > "start"',
  );
  const [count, total, span] = (rows[0] ?? []).map(numberOf);
  if (count === undefined || total === undefined || span === undefined || !(total > 0) || total < span * 0.02) return;
  builder.left.push(
    `${overheadRemark} for ${(total / 1e6).toFixed(1)} ms in ${count} stretches: programs run faster without it`,
  );
}

/** GPU_METRICS: each counter of each GPU as one summary (the number of the GPU is the last byte of `typeId`). */
function readMetrics({ db, builder }: Reading): void {
  const columns = columnsOf(db, 'GPU_METRICS');
  const described = columnsOf(db, 'TARGET_INFO_GPU_METRICS');
  if (!columns.has('metricid') || !columns.has('value') || !described.has('metricname')) return;
  const type = columns.has('typeid') ? 'typeId' : '0';
  const names = new Map(
    rowsOf(
      { db, builder },
      'TARGET_INFO_GPU_METRICS',
      `select ${described.has('typeid') ? 'typeId & 255' : '0'}, metricId, substr(metricName, 1, 200) from TARGET_INFO_GPU_METRICS`,
    ).map(([gpu, id, name]) => [`${numberOf(gpu)} ${numberOf(id)}`, textOf(name)]),
  );
  const sums = rowsOf(
    { db, builder },
    'GPU_METRICS',
    `select ${type} & 255, metricId, count(*), avg(value), min(value), max(value) from GPU_METRICS group by 1, 2`,
  );
  for (const row of sums) {
    const [gpu, id, samples, mean, least, most] = row.map(numberOf) as [number, number, number, number, number, number];
    const name = names.get(`${gpu} ${id}`);
    if (name === undefined || !Number.isFinite(mean)) continue;
    const unit = /\[([^[\]]{1,40})\]\s{0,4}$/.exec(name);
    builder.metrics.push({
      device: builder.device(gpu),
      name: (unit === null ? name : name.slice(0, unit.index)).trim(),
      unit: unit?.[1] ?? null,
      samples,
      mean,
      least,
      most,
    });
  }
}

function readThreadNames({ db, builder, names, places }: Reading): void {
  const columns = columnsOf(db, 'ThreadNames');
  if (!columns.has('nameid') || !columns.has('globaltid')) return;
  const rows = rowsOf({ db, builder }, 'ThreadNames', 'select nameId, globalTid & 281474976710655 from ThreadNames');
  for (const [nameId, global] of rows) {
    const name = names.text(numberOf(nameId));
    if (name === null || typeof global !== 'number' || global < 0) continue;
    builder.thread(places.process(global), global % 2 ** 24, name.slice(0, 100));
  }
}

/** MPI_RANKS: the rank, where the trace is of one alone. */
function readRank({ db, builder }: Reading): void {
  if (!columnsOf(db, 'MPI_RANKS').has('rank')) return;
  const rows = rowsOf({ db, builder }, 'MPI_RANKS', 'select distinct rank from MPI_RANKS limit 3');
  const [rank] = (rows[0] ?? []).map(numberOf);
  if (rows.length === 1 && rank !== undefined && Number.isInteger(rank) && rank >= 0) builder.rank = rank;
}
