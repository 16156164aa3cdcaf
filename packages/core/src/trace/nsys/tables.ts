import type { SqlDatabase } from './database.ts';
import { SqlError } from './database.ts';

/** Stands in a row of numbers where the table has NULL. */
export const nothing: number = -1e300;

/** A column that a reader wants: its name, or an expression over columns that must be there. */
export interface Wanted {
  readonly sql: string;
  /** The columns that the expression needs; the expression itself where it is left out. */
  readonly needs?: readonly string[];
  /** NULL comes as `nothing`; else as 0, which costs less: for numbers that begin with 1, or where 0 says the same. */
  readonly orNothing?: boolean;
}

/** How the wanted columns of a table come: in the order of the table, which an index over all of them would change. */
export interface Plan<Key extends string> {
  readonly table: string;
  readonly select: string;
  /** Where each one stands in `row`; absent ones too, and hold `nothing`. */
  readonly at: Readonly<Record<Key, number>>;
  readonly row: Float64Array;
  readonly has: (column: string) => boolean;
}

/** A name of SQL in quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Plans the reading of a table by the columns that it has: they differ with the age of the export.
 * @returns null where there is no such table
 */
export function planOf<Key extends string>(
  db: SqlDatabase,
  table: string,
  wanted: Readonly<Record<Key, Wanted>>,
): Plan<Key> | null {
  const columns = columnsOf(db, table);
  if (columns.size === 0) return null;
  if ('start' in wanted && !columns.has('start')) return null;
  const keys = Object.keys(wanted) as Key[];
  const isThere = (key: Key): boolean =>
    (wanted[key].needs ?? [wanted[key].sql]).every((column) => columns.has(column.toLowerCase()));
  const present = keys.filter((key) => isThere(key));
  const order = [...present, ...keys.filter((key) => !present.includes(key))];
  const at = Object.fromEntries(order.map((key, index) => [key, index])) as Record<Key, number>;
  const list = present.map((key) => {
    const { sql, needs, orNothing } = wanted[key];
    const value = needs === undefined ? quoted(sql) : sql;
    return orNothing === true ? `ifnull(${value}, -1e300)` : value;
  });
  return {
    table,
    select: `select ${list.length === 0 ? '1' : list.join(', ')} from ${quoted(table)} not indexed`,
    at,
    row: new Float64Array(Math.max(1, order.length)).fill(nothing),
    has: (column) => columns.has(column.toLowerCase()),
  };
}

/** Names of the columns in lower case; empty where there is no such table, or its description is damaged. */
export function columnsOf(db: SqlDatabase, table: string): ReadonlySet<string> {
  if (!db.tables.includes(table)) return new Set();
  try {
    return new Set(db.columns(table).map((column) => column.toLowerCase()));
  } catch (error) {
    if (error instanceof SqlError) return new Set();
    throw error;
  }
}

/** A value of a scanned row; null where the table has none. */
export function known(value: number): number | null {
  return value === nothing || Number.isNaN(value) ? null : value;
}
