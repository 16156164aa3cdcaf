import type { SqlValue } from '@culprit/core/trace/nsys/database';
import { sqlErrorOf } from '@culprit/core/trace/nsys/database';
import { addressOf } from './raw.ts';
import type { RawDatabase } from './raw.ts';

/** What of node-sqlite3-wasm is used: its classes, and the functions of SQLite below them. */
interface WasmStatement {
  iterate(values?: readonly SqlValue[]): IterableIterator<Record<string, SqlValue>>;
  finalize(): void;
  readonly _ptr: number;
}
interface WasmDatabase {
  prepare(sql: string): WasmStatement;
  exec(sql: string): void;
  close(): void;
}
interface WasmModule {
  readonly Database: new (path: string, options: { readonly readOnly: boolean }) => WasmDatabase;
  _sqlite3_open_v2: (name: number, database: number, flags: number, vfs: number) => number;
  readonly _sqlite3_step: (statement: number) => number;
  readonly _sqlite3_column_count: (statement: number) => number;
  readonly _sqlite3_column_double: (statement: number, column: number) => number;
  readonly _sqlite3_bind_int: (statement: number, parameter: number, value: number) => number;
  readonly _sqlite3_reset: (statement: number) => number;
}

/** Result of a step that has a row (https://www.sqlite.org/rescode.html#row). */
const isRow = 100;
const isDone = 101;
/** Lets the name of a file be an address with options (https://www.sqlite.org/c3ref/c_open_autoproxy.html). */
const openUri = 0x40;

/**
 * Opens a file by SQLite compiled to WebAssembly. The file is taken as one that nobody changes (`immutable`), so that
 * neither a lock nor a journal is looked for or made: the library would make a folder `FILE.lock` beside it.
 */
export async function openWasm(path: string): Promise<RawDatabase> {
  const { default: loaded } = await import('node-sqlite3-wasm');
  const module = loaded as unknown as WasmModule;
  const open = module._sqlite3_open_v2;
  let database: WasmDatabase;
  try {
    module._sqlite3_open_v2 = (name, pointer, flags, vfs) => open(name, pointer, flags | openUri, vfs);
    database = new module.Database(addressOf(path), { readOnly: true });
  } catch (error) {
    throw sqlErrorOf(messageOf(error));
  } finally {
    module._sqlite3_open_v2 = open;
  }
  const prepared = (sql: string): WasmStatement => {
    try {
      return database.prepare(sql);
    } catch (error) {
      throw sqlErrorOf(messageOf(error));
    }
  };
  // The statement that looks up one string after the other is kept.
  let kept: { readonly sql: string; readonly statement: WasmStatement; busy: boolean } | null = null;
  return {
    close() {
      if (kept !== null) finalized(kept.statement);
      kept = null;
      try {
        database.close();
      } catch {
        // It was only read: nothing is lost with it.
      }
    },
    exec(sql) {
      try {
        database.exec(sql);
      } catch (error) {
        throw sqlErrorOf(messageOf(error));
      }
    },
    *rows(sql, parameters = []) {
      const reuse = parameters.length > 0;
      let statement: WasmStatement;
      if (reuse && kept?.sql === sql && !kept.busy) statement = kept.statement;
      else {
        statement = prepared(sql);
        if (reuse && kept?.busy !== true) {
          if (kept !== null) finalized(kept.statement);
          kept = { sql, statement, busy: false };
        }
      }
      const isKept = kept?.statement === statement;
      if (isKept) kept!.busy = true;
      let done = false;
      try {
        for (const row of statement.iterate(parameters)) yield Object.values(row);
        done = true;
      } catch (error) {
        throw sqlErrorOf(messageOf(error));
      } finally {
        // One that failed, or that its caller left, is not used again.
        if (isKept && done) kept!.busy = false;
        else {
          if (isKept) kept = null;
          finalized(statement);
        }
      }
    },
    scan(sql, row, each) {
      const statement = prepared(sql);
      try {
        stepped(module, statement, row, each);
      } catch (error) {
        finalized(statement);
        throw error;
      }
      const failure = finalized(statement);
      if (failure !== null) throw sqlErrorOf(failure);
    },
    parts(sql) {
      const whole = `${sql} where rowid between ? and ?`;
      let statement = prepared(whole);
      return {
        read(first, last, row, each) {
          module._sqlite3_reset(statement._ptr);
          module._sqlite3_bind_int(statement._ptr, 1, first);
          module._sqlite3_bind_int(statement._ptr, 2, last);
          if (stepped(module, statement, row, each) === isDone) return;
          // Its message comes when it is ended.
          const failure = finalized(statement);
          statement = prepared(whole);
          throw sqlErrorOf(failure ?? 'disk I/O error');
        },
        close: () => void finalized(statement),
      };
    },
  };
}

/** Hands on the rows of a statement; @returns the result of its last step */
function stepped(module: WasmModule, statement: WasmStatement, row: Float64Array, each: () => void): number {
  const pointer = statement._ptr;
  const { _sqlite3_step: step, _sqlite3_column_double: column } = module;
  const columns = Math.min(module._sqlite3_column_count(pointer), row.length);
  try {
    let result = step(pointer);
    while (result === isRow) {
      for (let index = 0; index < columns; index++) row[index] = column(pointer, index);
      each();
      result = step(pointer);
    }
    return result;
  } catch (error) {
    throw isTrap(error) ? sqlErrorOf(messageOf(error)) : error;
  }
}

/** True where SQLite itself came to an end: out of memory, or out of its bounds. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

/** Ends a statement; @returns the message of the error it ended with */
function finalized(statement: WasmStatement): string | null {
  try {
    statement.finalize();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
