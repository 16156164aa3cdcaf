import type { Direction, MemoryKind, Synchronisation } from '../model.ts';
import type { SqlDatabase } from './database.ts';
import { SqlError } from './database.ts';
import { columnsOf } from './tables.ts';

/*
 * What the numbers of an export mean: its ENUM_ tables say it; where one is missing, the numbers of the user guide hold
 * (https://docs.nvidia.com/nsight-systems/UserGuide/index.html, SQLite schema).
 */

/** Names of an ENUM_ table by number; empty where it is missing. */
function enumOf(db: SqlDatabase, table: string): ReadonlyMap<number, string> {
  const columns = columnsOf(db, table);
  const found = new Map<number, string>();
  if (!columns.has('id') || !(columns.has('name') || columns.has('label'))) return found;
  const names = ['name', 'label'].filter((column) => columns.has(column)).map((column) => `ifnull(${column}, '')`);
  try {
    for (const [id, name] of db.rows(`select id, ${names.join(" || ' ' || ")} from ${table} limit 1000`))
      if (typeof id === 'number' && typeof name === 'string') found.set(id, name.toUpperCase());
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
  }
  return found;
}

const copyKinds: readonly (Direction | undefined)[] = [
  'unknown',
  'HtoD',
  'DtoH',
  'HtoD',
  'DtoH',
  'DtoD',
  'DtoD',
  'DtoD',
  'DtoD',
  'HtoH',
  'PtoP',
  'UVM_HtoD',
  'UVM_DtoH',
  'UVM_DtoD',
];

/** Arrays lie in the memory of the device. */
const directions: Readonly<Record<string, Direction>> = {
  HTOD: 'HtoD',
  DTOH: 'DtoH',
  HTOA: 'HtoD',
  ATOH: 'DtoH',
  ATOA: 'DtoD',
  ATOD: 'DtoD',
  DTOA: 'DtoD',
  DTOD: 'DtoD',
  HTOH: 'HtoH',
  PTOP: 'PtoP',
};

/** Directions by `copyKind`. */
export function copyKindsOf(db: SqlDatabase): (kind: number) => Direction {
  const names = enumOf(db, 'ENUM_CUDA_MEMCPY_OPER');
  return (kind) => {
    const name = names.get(kind);
    if (name === undefined) return names.size > 0 ? 'unknown' : (copyKinds[kind] ?? 'unknown');
    const way = directions[/(?:^|_)([HDAP]TO[HDAP])\b/.exec(name)?.[1] ?? ''];
    if (way === undefined) return 'unknown';
    if (!/UVM|UNIFIED/.test(name)) return way;
    return way === 'HtoD' || way === 'DtoH' || way === 'DtoD' ? `UVM_${way}` : 'unknown';
  };
}

const memoryKinds: readonly (MemoryKind | undefined)[] = [
  'pageable',
  'pinned',
  'device',
  'array',
  'managed',
  'device',
  'managed',
  'unknown',
];

/** Kinds of memory by `srcKind`, `dstKind`, `memKind`. */
export function memoryKindsOf(db: SqlDatabase): (kind: number) => MemoryKind {
  const names = enumOf(db, 'ENUM_CUDA_MEM_KIND');
  const words: readonly (readonly [RegExp, MemoryKind])[] = [
    [/PAGEABLE/, 'pageable'],
    [/PINNED/, 'pinned'],
    [/MANAGED/, 'managed'],
    [/DEVICE/, 'device'],
    [/ARRAY/, 'array'],
  ];
  return (kind) => {
    const name = names.get(kind);
    if (name === undefined) return names.size > 0 ? 'unknown' : (memoryKinds[kind] ?? 'unknown');
    return words.find(([word]) => word.test(name))?.[1] ?? 'unknown';
  };
}

const causes: readonly (readonly [RegExp, number])[] = [
  [/USER/, 1],
  [/COHERENCE/, 2],
  [/PREFETCH/, 3],
  [/EVICTION/, 4],
  [/ACCESS_?\s?COUNTER/, 5],
];

/** Why managed memory moved, in the numbers of the model, by `migrationCause`. */
export function migrationCausesOf(db: SqlDatabase): (cause: number) => number | null {
  const names = enumOf(db, 'ENUM_CUDA_UNIF_MEM_MIGRATION');
  return (cause) => {
    const name = names.get(cause);
    if (name === undefined) return names.size === 0 && cause >= 1 && cause <= 5 ? cause : null;
    return causes.find(([word]) => word.test(name))?.[1] ?? null;
  };
}

const syncTypes: readonly (Synchronisation['kind'] | undefined)[] = [
  undefined,
  'event',
  'stream-wait-event',
  'stream',
  'context',
];

/** Kinds of waits by `syncType`; null for one that is none of them. */
export function syncTypesOf(db: SqlDatabase): (type: number) => Synchronisation['kind'] | null {
  const names = enumOf(db, 'ENUM_CUPTI_SYNC_TYPE');
  return (type) => {
    const name = names.get(type);
    if (name === undefined) return names.size > 0 ? null : (syncTypes[type] ?? null);
    if (/STREAM_?\s?WAIT/.test(name)) return 'stream-wait-event';
    if (/EVENT/.test(name)) return 'event';
    if (/STREAM/.test(name)) return 'stream';
    return /CONTEXT|DEVICE/.test(name) ? 'context' : null;
  };
}

/** True of streams that wait for the legacy default stream, by `flag`; null for that stream itself and where it is not told. */
export function blockingOf(db: SqlDatabase): (flag: number) => boolean | null {
  const names = enumOf(db, 'ENUM_CUPTI_STREAM_TYPE');
  return (flag) => {
    const name = names.get(flag);
    if (name === undefined) return names.size > 0 ? null : flag === 1 ? true : flag === 2 ? false : null;
    if (/NON_?[ -]?BLOCKING/.test(name)) return false;
    return /DEFAULT/.test(name) ? true : null;
  };
}
