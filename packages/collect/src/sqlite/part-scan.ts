import { SqlError } from '@culprit/core/trace/nsys/database';
import type { RawDatabase, TableParts } from './raw.ts';
import type { ScanMemory } from './shared-scan.ts';
import { Leader, rowsOfPart, scanMemory } from './shared-scan.ts';

/** One table that a thread is to help with. */
export interface ScanWanted {
  readonly sql: string;
  /** The row that is filled, as it is before: columns that a table does not have stay. */
  readonly row: Float64Array;
  readonly memory: ScanMemory;
}

/** A thread that helps to read the tables of a file. */
export interface ScanThread {
  help(wanted: ScanWanted): void;
  close(): void;
}

/** Begins such a thread; null where none is to be had. @param pragmas what its own connection needs first */
export type BeginHelp = (pragmas: readonly string[]) => ScanThread | null;

/** Numbers of rows that can be counted through, and rows that are worth a second thread. */
const mostRows = 2 ** 31 - rowsOfPart;
const worthHelp = 50_000;
/** A row takes at least its place, its length, its number and a header (https://www.sqlite.org/fileformat.html). */
const leastRow = 6;
/** Milliseconds that a part of a thread may take before this one reads it itself. */
const patience = 20_000;

/** Lets a table without most of its pages be read: see `described`. */
export const evenDamaged = 'pragma writable_schema = on';

/** Reads tables part by part, with the help of a thread where there is one. */
export class PartScan {
  readonly #raw: RawDatabase;
  readonly #begin: BeginHelp | null;
  readonly #isDamaged: boolean;
  #thread: ScanThread | null | undefined;

  constructor(raw: RawDatabase, begin: BeginHelp | null, isDamaged: boolean) {
    this.#raw = raw;
    this.#begin = begin;
    this.#isDamaged = isDamaged;
  }

  /**
   * Hands on the rows of a table in the order of their numbers.
   * @param sql `select … from TABLE`
   * @returns false where the table cannot be read so, and nothing was handed on
   * @throws SqlError after the rows that could be read
   */
  scan(sql: string, row: Float64Array, each: () => void, table: string): boolean {
    const last = this.#lastRow(table);
    if (last === null) return false;
    const parts = this.#partsOf(sql);
    if (parts === null) return false;
    const read = (first: number, to: number, take: () => void): void => parts.read(first, to, row, take);
    const memory = scanMemory(last, row.length);
    const leader = new Leader(memory, row, each, read);
    try {
      if (last >= worthHelp) this.#help({ sql, row, memory });
      leader.run(patience);
    } finally {
      leader.cancel();
      parts.close();
    }
    return true;
  }

  close(): void {
    this.#thread?.close();
    this.#thread = null;
  }

  #help(wanted: ScanWanted): void {
    this.#thread ??= this.#begin?.(this.#isDamaged ? [evenDamaged] : []) ?? null;
    this.#thread?.help(wanted);
  }

  /** Number of the last row; null where rows have none that can be counted through. */
  #lastRow(table: string): number | null {
    const name = `"${table.replaceAll('"', '""')}"`;
    try {
      // A column of that name, one that is computed too, hides the numbers of the rows.
      for (const [, column] of this.#raw.rows(`pragma table_xinfo(${name})`))
        if (String(column).toLowerCase() === 'rowid') return null;
      const [[last] = []] = this.#raw.rows(`select max(rowid) from ${name} where rowid > 0`);
      const [[before] = []] = this.#raw.rows(`select min(rowid) from ${name}`);
      if (typeof last !== 'number' || last >= mostRows || typeof before !== 'number' || before < 1) return null;
      // A table with few rows and large numbers has more parts than rows.
      return last < this.#size() / leastRow ? last : null;
    } catch (error) {
      if (error instanceof SqlError) return null;
      throw error;
    }
  }

  /** Bytes of the file. */
  #size(): number {
    const [[pages] = []] = this.#raw.rows('pragma page_count');
    const [[size] = []] = this.#raw.rows('pragma page_size');
    return Number(pages) * Number(size);
  }

  #partsOf(sql: string): TableParts | null {
    try {
      return this.#raw.parts?.(sql) ?? null;
    } catch (error) {
      if (error instanceof SqlError) return null;
      throw error;
    }
  }
}
