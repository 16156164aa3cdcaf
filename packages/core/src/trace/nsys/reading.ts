import type { TraceBuilder } from '../builder.ts';
import type { SqlDatabase } from './database.ts';
import { SqlError } from './database.ts';
import type { Names } from './names.ts';
import type { Places } from './places.ts';
import type { Plan } from './tables.ts';

/** What the readers of single tables share. */
export interface Reading {
  readonly db: SqlDatabase;
  readonly builder: TraceBuilder;
  readonly names: Names;
  readonly places: Places;
  /** Expression of a time column: nanoseconds from the zero of the trace. */
  readonly time: (column: string) => string;
}

/** Times beyond this are no nanoseconds of a session. */
const furthest = 2 ** 53;

/** True where a start can be placed on the time line. */
export function isTime(value: number): boolean {
  return value > -furthest && value < furthest;
}

/**
 * Runs over a table. A damaged one is read up to the damage, and from its end back to the damage; which rows are missing
 * is said.
 * @param each takes the row; false where it cannot be used
 * @returns how many rows were read
 */
export function scanTable<Key extends string>(
  reading: Reading,
  plan: Plan<Key>,
  each: (row: Float64Array, count: number) => boolean,
): number {
  let count = 0;
  let unusable = 0;
  const one = (): void => {
    count++;
    if (!each(plan.row, count)) unusable++;
  };
  try {
    reading.db.scan(plan.select, plan.row, one);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    reading.builder.left.push(damageOf(plan.table, error, count));
  }
  if (unusable > 0) reading.builder.left.push(`${plan.table}: ${unusable} rows without a usable time were left out`);
  return count;
}

/** Says where a table breaks off. */
export function damageOf(table: string, error: SqlError, rows: number): string {
  return rows === 0
    ? `${table} cannot be read: ${error.message}`
    : `${table} breaks off after ${rows} rows: ${error.message}`;
}

/** Rows of a small table; what can be read of it. */
export function rowsOf(
  reading: Pick<Reading, 'db' | 'builder'>,
  table: string,
  sql: string,
  limit = 10_000,
): readonly (readonly unknown[])[] {
  const rows: (readonly unknown[])[] = [];
  try {
    for (const row of reading.db.rows(sql)) {
      if (rows.length >= limit) {
        reading.builder.left.push(`${table}: rows beyond the first ${limit} were left out`);
        break;
      }
      rows.push(row);
    }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    reading.builder.left.push(damageOf(table, error, rows.length));
  }
  return rows;
}
