import { SqlError } from './database.ts';
import type { SqlDatabase } from './database.ts';
import { columnsOf, quoted } from './tables.ts';

/** Longer names are cut, as those of the table of strings. */
const longest = 4096;

/** Gives the names of a table's rows one after the other, in step with a scan of the table. */
export type OwnNames = () => string | null;

/**
 * Names that a table holds itself, as text, where others hold the number of a string.
 * @returns null where the column holds numbers
 */
export function ownNames(db: SqlDatabase, table: string, column: string): OwnNames | null {
  if (!columnsOf(db, table).has(column.toLowerCase())) return null;
  const [name, from] = [quoted(column), quoted(table)];
  try {
    const [first] = [...db.rows(`select typeof(${name}) from ${from} limit 1`)];
    if (first?.[0] !== 'text') return null;
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
  const rows = db.rows(`select substr(${name}, 1, ${longest}) from ${from} not indexed`)[Symbol.iterator]();
  let over = false;
  return () => {
    if (over) return null;
    try {
      const { done, value } = rows.next();
      over = done === true;
      const [text] = done === true ? [null] : value;
      return typeof text === 'string' && text !== '' ? text : null;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      over = true;
      return null;
    }
  };
}
