import type { RawDatabase } from '@culprit/collect/anywhere/trace';
import { sqlErrorOf } from '@culprit/core/trace/nsys/database';
import type { SqlValue } from '@culprit/core/trace/nsys/database';
import type { SyncSource } from './blob-file.ts';
import { sourceVfs } from './sqlite-vfs.ts';
import type { Sqlite } from './sqlite-vfs.ts';

/** What a step has found (https://www.sqlite.org/rescode.html). */
const isRow = 100;
const isDone = 101;

let loaded: Promise<Sqlite> | null = null;

/** SQLite as its authors compile it to WebAssembly; nothing of it touches a disk. */
function sqlite(): Promise<Sqlite> {
  loaded ??= (async () => {
    const off = { kvvfs: true, opfs: true, 'opfs-vfs': true, 'opfs-sahpool': true, 'opfs-wl': true };
    (globalThis as { sqlite3ApiConfig?: unknown }).sqlite3ApiConfig = { disable: { vfs: off } };
    const { default: start } = await import('@sqlite.org/sqlite-wasm');
    return (await start()) as unknown as Sqlite;
  })();
  return loaded;
}

/**
 * Opens a database whose bytes are read when they are asked for. It is taken as one that nobody changes (`immutable`):
 * neither a journal nor a lock is looked for.
 * @throws SqlError where it cannot be opened
 */
export async function openSource(source: SyncSource): Promise<RawDatabase> {
  const sqlite3 = await sqlite();
  const { capi, wasm } = sqlite3;
  const vfs = sourceVfs(sqlite3, source);
  const place = wasm.alloc(8);
  const flags = capi.SQLITE_OPEN_READONLY | capi.SQLITE_OPEN_URI;
  const opened = capi.sqlite3_open_v2('file:source?immutable=1', place, flags, vfs.name);
  const database = wasm.peekPtr(place);
  wasm.dealloc(place);
  const failed = (): Error => sqlErrorOf(capi.sqlite3_errmsg(database));
  if (opened !== 0) {
    const error = failed();
    capi.sqlite3_close_v2(database);
    vfs.close();
    throw error;
  }
  const prepared = (sql: string): number => {
    const at = wasm.alloc(8);
    try {
      if (capi.sqlite3_prepare_v2(database, sql, -1, at, 0) !== 0) throw failed();
      return wasm.peekPtr(at);
    } finally {
      wasm.dealloc(at);
    }
  };
  const step = (statement: number): boolean => {
    const result = wasm.exports.sqlite3_step(statement);
    if (result === isRow) return true;
    if (result === isDone) return false;
    throw failed();
  };
  // The statement that looks up one string after the other is kept.
  let kept: { readonly sql: string; readonly statement: number; busy: boolean } | null = null;
  const statementOf = (sql: string, keep: boolean): number => {
    if (!keep || kept?.busy === true) return prepared(sql);
    if (kept?.sql === sql) return kept.statement;
    const statement = prepared(sql);
    if (kept !== null) capi.sqlite3_finalize(kept.statement);
    kept = { sql, statement, busy: false };
    return statement;
  };
  return {
    close() {
      if (kept !== null) capi.sqlite3_finalize(kept.statement);
      kept = null;
      capi.sqlite3_close_v2(database);
      vfs.close();
    },
    exec(sql) {
      const statement = prepared(sql);
      try {
        while (step(statement));
      } finally {
        capi.sqlite3_finalize(statement);
      }
    },
    *rows(sql, parameters = []) {
      const statement = statementOf(sql, parameters.length > 0);
      const isKept = kept?.statement === statement;
      if (isKept) kept!.busy = true;
      try {
        for (const [at, value] of parameters.entries()) bind(sqlite3, statement, at + 1, value);
        const columns = capi.sqlite3_column_count(statement);
        while (step(statement))
          yield Array.from({ length: columns }, (_, column) => valueOf(sqlite3, statement, column));
      } finally {
        if (isKept) {
          capi.sqlite3_reset(statement);
          kept!.busy = false;
        } else capi.sqlite3_finalize(statement);
      }
    },
    scan(sql, row, each) {
      const statement = prepared(sql);
      const columns = Math.min(capi.sqlite3_column_count(statement), row.length);
      try {
        while (step(statement)) {
          for (let index = 0; index < columns; index++)
            row[index] = wasm.exports.sqlite3_column_double(statement, index);
          each();
        }
      } finally {
        capi.sqlite3_finalize(statement);
      }
    },
  };
}

function bind({ capi }: Sqlite, statement: number, at: number, value: SqlValue): void {
  if (value === null) capi.sqlite3_bind_null(statement, at);
  else if (typeof value === 'bigint') capi.sqlite3_bind_int64(statement, at, value);
  else if (typeof value === 'number')
    if (Number.isSafeInteger(value)) capi.sqlite3_bind_int64(statement, at, BigInt(value));
    else capi.sqlite3_bind_double(statement, at, value);
  else if (typeof value === 'string') capi.sqlite3_bind_text(statement, at, value, -1, capi.SQLITE_TRANSIENT);
  else capi.sqlite3_bind_blob(statement, at, value, value.length, capi.SQLITE_TRANSIENT);
}

const decoder = new TextDecoder();

/** Types of values (https://www.sqlite.org/c3ref/c_blob.html). */
function valueOf({ wasm }: Sqlite, statement: number, column: number): SqlValue {
  const { exports } = wasm;
  switch (exports.sqlite3_column_type(statement, column)) {
    case 1: {
      const value = exports.sqlite3_column_int64(statement, column);
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    }
    case 2:
      return exports.sqlite3_column_double(statement, column);
    case 3: {
      const at = exports.sqlite3_column_text(statement, column);
      const length = exports.sqlite3_column_bytes(statement, column);
      return decoder.decode(wasm.heap8u().subarray(at, at + length));
    }
    case 4: {
      const at = exports.sqlite3_column_blob(statement, column);
      const length = exports.sqlite3_column_bytes(statement, column);
      return wasm.heap8u().slice(at, at + length);
    }
    default:
      return null;
  }
}
