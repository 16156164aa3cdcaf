import type { SqlDatabase } from './database.ts';
import { SqlError } from './database.ts';
import { columnsOf } from './tables.ts';

/** Longer names are cut: a template can be a megabyte. */
const longest = 4096;

/** The strings of an export, asked for one by one: most exports hold far more of them than a report shows. */
export class Names {
  #db: SqlDatabase;
  #there: boolean;
  #known = new Map<number, string | null>();
  #unread = 0;

  constructor(db: SqlDatabase) {
    this.#db = db;
    const columns = columnsOf(db, 'StringIds');
    this.#there = columns.has('id') && columns.has('value');
  }

  /** How many could not be read though they are there. */
  get unread(): number {
    return this.#unread;
  }

  /** The string of a number; null where the export has none. */
  text(id: number): string | null {
    if (!Number.isSafeInteger(id)) return null;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const text = this.#read(id);
    this.#known.set(id, text);
    return text;
  }

  #read(id: number): string | null {
    if (!this.#there) return null;
    let text: string | null = null;
    try {
      // To its end: a query that is left half-way is made anew for the next one.
      for (const [value] of this.#db.rows(`select substr(value, 1, ${longest}) from StringIds where id = ?`, [id]))
        if (typeof value === 'string' && value !== '') text = value;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      this.#unread++;
    }
    return text;
  }
}
