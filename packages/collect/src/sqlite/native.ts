import type { SqlValue } from '@culprit/core/trace/nsys/database';
import { sqlErrorOf } from '@culprit/core/trace/nsys/database';
import type { RawDatabase } from './raw.ts';

/** What of `node:sqlite` is used (https://nodejs.org/api/sqlite.html); core and types of older Nodes do not have it. */
interface NativeStatement {
  setReadBigInts(enabled: boolean): void;
  iterate(...values: readonly SqlValue[]): IterableIterator<Record<string, SqlValue>>;
  all(...values: readonly SqlValue[]): readonly Record<string, SqlValue>[];
}
interface NativeDatabase {
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  function(name: string, options: { readonly varargs: boolean }, call: (...values: number[]) => number): void;
  close(): void;
}
interface NativeModule {
  readonly DatabaseSync: new (path: string, options: Readonly<Record<string, boolean>>) => NativeDatabase;
}

/** `node:sqlite`; null where this Node has none. */
export function nativeModule(): NativeModule | null {
  const host = process as { getBuiltinModule?: (name: string) => unknown };
  if (host.getBuiltinModule === undefined) return null;
  // Loading it prints a warning on the Nodes where it is not yet called stable: nothing that a user can act on.
  const told = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    const found = host.getBuiltinModule('node:sqlite') as Partial<NativeModule> | undefined;
    return typeof found?.DatabaseSync === 'function' ? (found as NativeModule) : null;
  } catch {
    return null;
  } finally {
    if (told !== undefined) Object.defineProperty(process, 'emitWarning', told);
  }
}

/** Name of the function by which rows come out of a query. */
const taker = 'culprit_take';

/** Opens a file by the SQLite of Node; null where it has none. */
export function openNative(path: string): RawDatabase | null {
  const module = nativeModule();
  if (module === null) return null;
  let database: NativeDatabase;
  try {
    database = new module.DatabaseSync(path, { readOnly: true, defensive: false, allowExtension: false });
  } catch (error) {
    throw sqlErrorOf(messageOf(error));
  }
  let take: (values: number[]) => void = () => {};
  database.function(taker, { varargs: true }, (...values) => {
    take(values);
    return 0;
  });
  const guarded = <Result>(run: () => Result): Result => {
    try {
      return run();
    } catch (error) {
      throw sqlErrorOf(messageOf(error));
    }
  };
  return {
    close: () => database.close(),
    exec: (sql) => guarded(() => database.exec(sql)),
    *rows(sql, parameters = []) {
      const statement = guarded(() => database.prepare(sql));
      statement.setReadBigInts(true);
      try {
        for (const row of statement.iterate(...parameters))
          yield Object.values(row).map((value) =>
            typeof value === 'bigint' && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
              ? Number(value)
              : value,
          );
      } catch (error) {
        throw sqlErrorOf(messageOf(error));
      }
    },
    scan(sql, row, each) {
      // A function that takes the columns is called three times as fast as rows are made objects.
      const columns = guarded(() => columnsOf(sql));
      let failure: unknown = null;
      take = (values) => {
        if (failure !== null) return;
        for (let index = 0; index < values.length; index++) row[index] = values[index]!;
        try {
          each();
        } catch (error) {
          failure = error;
        }
      };
      try {
        guarded(() => database.prepare(columns).all());
      } finally {
        take = () => {};
      }
      if (failure !== null) throw failure;
    },
  };
}

/** `select total(take(a, b)) from …` for `select a, b from …`; numbers beyond 2^53 come as rounded ones. */
function columnsOf(sql: string): string {
  const inner = sql.replace(/^select /, '');
  const from = inner.indexOf(' from ');
  const list = inner.slice(0, from);
  return `select total(${taker}(${list})) ${inner.slice(from)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
