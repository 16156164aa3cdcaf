import type { TraceBuilder } from '../builder.ts';
import type { SqlDatabase } from './database.ts';
import { SqlError } from './database.ts';
import type { Names } from './names.ts';
import type { Places } from './places.ts';
import type { Plan } from './tables.ts';
import { quoted } from './tables.ts';

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
 * @param each takes the row and its number, from 1; false where it cannot be used
 * @returns how many rows were read
 */
export function scanTable<Key extends string>(
  reading: Reading,
  plan: Plan<Key>,
  each: (row: Float64Array, count: number) => boolean,
): number {
  let count = 0;
  let unusable = 0;
  const failure = failureOf(() =>
    reading.db.scan(
      plan.select,
      plan.row,
      () => {
        count++;
        if (!each(plan.row, count)) unusable++;
      },
      plan.table,
    ),
  );
  if (failure !== null) {
    reading.builder.partial = true;
    const { last, back } = failure.code === 'damaged' ? backwards(reading, plan, count, each) : { last: 0, back: 0 };
    reading.builder.left.push(
      last > 0
        ? `${plan.table}: ${failure.message}; ${last - count - back} of its ${last} rows cannot be read`
        : damageOf(plan.table, failure, count),
    );
    count += back;
  }
  if (unusable > 0) reading.builder.left.push(`${plan.table}: ${unusable} rows without a usable time were left out`);
  return count;
}

/** Reads a damaged table from its end, down to the rows that were read already. */
function backwards<Key extends string>(
  reading: Reading,
  plan: Plan<Key>,
  read: number,
  each: (row: Float64Array, count: number) => boolean,
): { readonly last: number; readonly back: number } {
  let [last, back] = [0, 0];
  const table = quoted(plan.table);
  failureOf(() => {
    for (const [value] of reading.db.rows(`select max(rowid) from ${table}`)) last = Number(value ?? 0);
    // The numbers of rows have no gaps in an export, which nothing is taken out of.
    if (last > read)
      reading.db.scan(`${plan.select} where rowid > ${read} order by rowid desc`, plan.row, () => {
        each(plan.row, last - back);
        back++;
      });
  });
  return { last: last > read ? last : 0, back };
}

function failureOf(run: () => void): SqlError | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof SqlError) return error;
    throw error;
  }
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
