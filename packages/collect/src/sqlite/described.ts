import type { SqlDatabase } from '@culprit/core/trace/nsys/database';
import { SqlError } from '@culprit/core/trace/nsys/database';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { latin1 } from '../joined.ts';
import type { BeginHelp } from './part-scan.ts';
import { evenDamaged, PartScan } from './part-scan.ts';
import type { RawDatabase } from './raw.ts';

const again = 'export the report again: nsys export -t sqlite FILE';

/** A database of a file, to be closed. */
export interface OpenDatabase extends SqlDatabase {
  /** What is wrong with the file as a whole; null where nothing is. */
  readonly damage: string | null;
  close(): void;
}

/**
 * A database with the list of its tables, as far as it can be read.
 * @param cut what is known to be missing of the file
 * @param help begins a thread that reads large tables too
 */
export function described(raw: RawDatabase, cut: string | null, help: BeginHelp | null = null): OpenDatabase {
  let damage = cut;
  const tables = (): readonly string[] =>
    // Exports hold plain tables; a view, or the table of a module, may compute without an end.
    [...raw.rows("select name from sqlite_master where type = 'table' and rootpage > 0")].flatMap(([name]) =>
      typeof name === 'string' ? [name] : [],
    );
  let found: readonly string[];
  try {
    // Without it a file that is shorter than its header says is refused as a whole, and so is one broken table.
    if (cut !== null) raw.exec(evenDamaged);
    found = tables();
  } catch (error) {
    if (!(error instanceof SqlError) || error.code !== 'damaged') {
      raw.close();
      throw error;
    }
    damage ??= `the list of tables is damaged: ${error.message}`;
    try {
      raw.exec(evenDamaged);
      found = tables();
    } catch (again) {
      raw.close();
      throw again;
    }
  }
  const columns = (table: string): readonly string[] =>
    [...raw.rows(`pragma table_info("${table.replaceAll('"', '""')}")`)].flatMap(([, name]) =>
      typeof name === 'string' ? [name] : [],
    );
  const parts = new PartScan(raw, help, damage !== null);
  return {
    damage,
    tables: found,
    columns,
    rows: (sql, parameters) => raw.rows(sql, parameters),
    scan(sql, row, each, whole) {
      if (whole === undefined || !parts.scan(sql, row, each, whole)) raw.scan(sql, row, each);
    },
    close() {
      parts.close();
      raw.close();
    },
  };
}

/** The error for the reader of a trace. */
export function databaseError(error: SqlError, called: string): TraceUnreadable {
  return new TraceUnreadable(
    error.code === 'not-a-database' ? 'foreign' : 'damaged',
    `${called} cannot be read as a database: ${error.message}`,
    again,
  );
}

/**
 * What a file that was cut off lacks, by its header (https://www.sqlite.org/fileformat.html); null where it is whole.
 * @param head its first 100 bytes
 * @throws TraceUnreadable where it is no database
 */
export function missingPart(head: Uint8Array, size: number, called: string): string | null {
  if (head.length === 0) throw new TraceUnreadable('empty', `${called} is empty`, again);
  if (latin1(head.subarray(0, 16)) !== 'SQLite format 3\0'.slice(0, 16))
    throw new TraceUnreadable('foreign', `${called} is no SQLite database`, again);
  if (head.length < 100) throw new TraceUnreadable('damaged', `${called} ends within its header`, again);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const stated = view.getUint16(16) === 1 ? 65_536 : view.getUint16(16);
  const expected = stated * view.getUint32(28);
  return expected > size ? `the file ends after ${size} of ${expected} bytes` : null;
}
