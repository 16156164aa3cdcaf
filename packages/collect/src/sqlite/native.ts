import type { SqlValue } from '@culprit/core/trace/nsys/database';
import { sqlErrorOf } from '@culprit/core/trace/nsys/database';
import { addressOf } from './raw.ts';
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

/** Opens a file by the SQLite of Node; null where it has none, or one that takes no addresses (before 22.15). */
export function openNative(path: string): RawDatabase | null {
  const module = nativeModule();
  if (module === null) return null;
  let database: NativeDatabase;
  try {
    // Opened by its path, a database in WAL mode gets two files beside it.
    database = new module.DatabaseSync(addressOf(path), { readOnly: true, defensive: false, allowExtension: false });
  } catch {
    return null;
  }
  let take: (values: number[]) => void = () => {};
  let failure: { readonly error: unknown } | null = null;
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
      const { taking, ordered } = queryFor(sql);
      const statement = guarded(() => database.prepare(taking));
      taken(row, each, () => {
        if (ordered) for (const _ of statement.iterate()) if (failure !== null) break;
        if (!ordered) statement.all();
      });
    },
    parts(sql) {
      const statement = guarded(() => database.prepare(queryFor(`${sql} where rowid between ? and ?`).taking));
      return {
        // Node frees what the calls of one query took only when the query ends: a whole table is 200 MB.
        read: (first, last, row, each) => taken(row, each, () => statement.all(first, last)),
        close() {},
      };
    },
  };

  /** Runs a query whose rows come by the function. It is called three times as fast as rows are made objects. */
  function taken(row: Float64Array, each: () => void, run: () => void): void {
    failure = null;
    take = (values) => {
      if (failure !== null) return;
      for (let index = 0; index < values.length; index++) row[index] = values[index]!;
      try {
        each();
      } catch (error) {
        failure = { error };
      }
    };
    try {
      guarded(run);
    } finally {
      take = () => {};
    }
    const failed = failure as { readonly error: unknown } | null;
    if (failed !== null) throw failed.error;
  }
}

/**
 * `select total(take(a * 1.0, b * 1.0)) from …` for `select a, b from …`: numbers beyond 2^53 come rounded. A sum does
 * not keep an order, so that a query with one gives a row for each.
 */
function queryFor(sql: string): { readonly taking: string; readonly ordered: boolean } {
  const inner = sql.replace(/^select /, '');
  const from = inner.indexOf(' from ');
  const list = splitList(inner.slice(0, from)).map((column) => `(${column}) * 1.0`);
  const ordered = inner.includes(' order by ');
  const taken = `${taker}(${list.join(', ')})`;
  return { taking: `select ${ordered ? taken : `total(${taken})`}${inner.slice(from)}`, ordered };
}

/** Parts between the commas that stand in no parentheses. */
function splitList(list: string): readonly string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < list.length; at++) {
    if (list[at] === '(') depth++;
    else if (list[at] === ')') depth--;
    else if (list[at] === ',' && depth === 0) {
      parts.push(list.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, list.slice(from)];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
