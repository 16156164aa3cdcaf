import { rangeKindOf } from '../kineto/range-kind.ts';
import type { Range } from '../model.ts';
import { SqlError } from './database.ts';
import type { Reading } from './reading.ts';
import { damageOf, isTime } from './reading.ts';
import { columnsOf } from './tables.ts';

/** Ranges that are kept: steps, loaders and compilations before others. */
const mostOthers = 50_000;
const most = 200_000;
const longestName = 300;

/** Names that programs give their own ranges. */
const words: readonly (readonly [RegExp, Range['kind']])[] = [
  [
    /\b(?:data[ _-]?load(?:er|ing)?|load(?:ing)?[ _-]data|(?:get|load|fetch|read|next)[ _-]?batch|input[ _-]pipeline)\b/i,
    'loader',
  ],
  [/\b(?:compil(?:e|ation|ing)|autotun(?:e|ing)|jit)\b/i, 'compile'],
  [
    /^(?:(?:train|training|global|optimi[sz]er)[ _-]?)?(?:step|iteration|iter|batch)(?:[ _#:=.-]{0,3}\d{1,12})?$/i,
    'step',
  ],
  [/\b(?:barrier|wait(?:ing)?)\b/i, 'wait'],
];

function kindOf(name: string): Range['kind'] {
  const kind = rangeKindOf(name);
  if (kind !== 'other') return kind;
  const head = name.slice(0, 200);
  return words.find(([pattern]) => pattern.test(head))?.[1] ?? 'other';
}

/**
 * Reads NVTX ranges (event types 59 push/pop and 60 start/end; those of early exports have other numbers, so that a range
 * is what has an end).
 * @returns how many ranges
 */
export function readRanges(reading: Reading): number {
  const { db, builder, names, places, time } = reading;
  const columns = columnsOf(db, 'NVTX_EVENTS');
  if (!columns.has('start') || !columns.has('end')) return 0;
  const value = (column: string): string => (columns.has(column) ? `"${column}"` : 'null');
  const thread = columns.has('globaltid') ? '"globalTid" & 281474976710655' : 'null';
  const sql = `select ${time('start')}, ${time('end')}, ${thread}, ${value('textid')}, ${
    columns.has('text') ? `substr("text", 1, ${longestName})` : 'null'
  } from NVTX_EVENTS where "end" is not null and "end" >= "start"`;
  let [count, others, left] = [0, 0, 0];
  const kinds = new Map<string, Range['kind']>();
  try {
    for (const [start, end, global, textId, text] of db.rows(sql)) {
      count++;
      if (typeof start !== 'number' || typeof end !== 'number' || !isTime(start) || !isTime(end)) continue;
      const told = typeof text === 'string' && text !== '' ? text : null;
      const name = told ?? (typeof textId === 'number' ? names.text(textId)?.slice(0, longestName) : null);
      if (name === null || name === undefined) continue;
      let kind = kinds.get(name);
      if (kind === undefined) {
        kind = kindOf(name);
        if (kinds.size < 50_000) kinds.set(name, kind);
      }
      if (kind === 'other' && ++others > mostOthers) left++;
      else if (builder.ranges.length >= most) left++;
      else
        builder.ranges.push({
          start,
          end,
          name,
          thread: typeof global === 'number' ? places.thread(global) : -1,
          kind,
        });
    }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    builder.left.push(damageOf('NVTX_EVENTS', error, count));
  }
  if (left > 0)
    builder.left.push(`NVTX_EVENTS: ${left} ranges beyond the first ${builder.ranges.length} were left out`);
  return count;
}

/** Waits of the operating system's libraries that last, of threads that call CUDA: shorter ones are beyond counting. */
const leastWait = 1_000_000;
const mostWaits = 20_000;
const waitNames =
  /^(?:poll|ppoll|select|pselect|epoll_p?wait|sem_(?:timed|clock)?wait|pthread_(?:cond_(?:timed|clock)?wait|mutex_(?:timed)?lock|rwlock_\w{1,20}lock|join)|futex|read|readv|pread(?:64)?|recv(?:from|msg)?|accept|wait(?:pid|id|3|4)?|(?:nano|clock_nano|u)?sleep|fsync|msgrcv|sigwait\w{0,8})$/;

/** Reads waits in the operating system (OSRT_API): what a thread that feeds the GPU stands in. */
export function readHostWaits(reading: Reading): void {
  const { db, builder, names, places, time } = reading;
  const columns = columnsOf(db, 'OSRT_API');
  if (!['start', 'end', 'nameid', 'globaltid'].every((column) => columns.has(column))) return;
  const sql = `select ${time('start')}, ${time('end')}, "globalTid" & 281474976710655, nameId from OSRT_API where "end" - "start" >= ${leastWait}`;
  const waits = new Map<number, string | null>();
  let [count, left] = [0, 0];
  try {
    for (const [start, end, global, nameId] of db.rows(sql)) {
      if (typeof start !== 'number' || typeof end !== 'number' || !isTime(start) || !isTime(end)) continue;
      if (typeof global !== 'number' || typeof nameId !== 'number' || !places.calls(global)) continue;
      let name = waits.get(nameId);
      if (name === undefined) {
        const text = names.text(nameId);
        name = text !== null && waitNames.test(text) ? text : null;
        waits.set(nameId, name);
      }
      if (name === null) continue;
      if (++count > mostWaits) left++;
      else builder.ranges.push({ start, end, name, thread: places.thread(global), kind: 'wait' });
    }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    builder.left.push(damageOf('OSRT_API', error, count));
  }
  if (left > 0) builder.left.push(`OSRT_API: ${left} waits beyond the first ${mostWaits} were left out`);
}
