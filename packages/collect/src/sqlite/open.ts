import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SqlDatabase } from '@culprit/core/trace/nsys/database';
import { SqlError } from '@culprit/core/trace/nsys/database';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { whyUnreadable } from '../unreadable.ts';
import { openNative } from './native.ts';
import type { RawDatabase } from './raw.ts';
import { openWasm } from './wasm.ts';

/** A database of a file, to be closed. */
export interface OpenDatabase extends SqlDatabase {
  /** What is wrong with the file as a whole; null where nothing is. */
  readonly damage: string | null;
  close(): void;
}

/** Ways to read SQLite files. */
export type SqliteEngine = 'node' | 'wasm';

/**
 * Opens an SQLite file for reading: by `node:sqlite` where Node has it, else by SQLite compiled to WebAssembly. Nothing
 * is written beside the file: no journal, no lock. A file that was cut off is opened as far as it goes.
 * @param called what messages call the file
 * @param engine one of them, for tests
 * @throws TraceUnreadable where the file is no SQLite database, or not readable
 */
export async function openSqlite(file: string, called: string = file, engine?: SqliteEngine): Promise<OpenDatabase> {
  const cut = checked(file, called);
  try {
    const path = resolve(file);
    const native = engine === 'wasm' ? null : openNative(path);
    if (native === null && engine === 'node') throw new SqlError('unreadable', 'this Node has no SQLite of its own');
    return described(native ?? (await openWasm(path)), cut);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    throw new TraceUnreadable(
      error.code === 'not-a-database' ? 'foreign' : 'damaged',
      `${called} cannot be read as a database: ${error.message}`,
      'export the report again: nsys export -t sqlite FILE',
    );
  }
}

function described(raw: RawDatabase, cut: string | null): OpenDatabase {
  let damage = cut;
  const tables = (): readonly string[] =>
    [...raw.rows("select name from sqlite_master where type in ('table', 'view')")].flatMap(([name]) =>
      typeof name === 'string' ? [name] : [],
    );
  let found: readonly string[];
  try {
    // Without it a file that is shorter than its header says is refused as a whole, and so is one broken table.
    if (cut !== null) raw.exec('pragma writable_schema = on');
    found = tables();
  } catch (error) {
    if (!(error instanceof SqlError) || error.code !== 'damaged') {
      raw.close();
      throw error;
    }
    damage ??= `the list of tables is damaged: ${error.message}`;
    try {
      raw.exec('pragma writable_schema = on');
      found = tables();
    } catch (again) {
      raw.close();
      throw again;
    }
  }
  return {
    damage,
    tables: found,
    columns: (table) =>
      [...raw.rows(`pragma table_info("${table.replaceAll('"', '""')}")`)].flatMap(([, name]) =>
        typeof name === 'string' ? [name] : [],
      ),
    rows: (sql, parameters) => raw.rows(sql, parameters),
    scan: (sql, row, each) => raw.scan(sql, row, each),
    close: () => raw.close(),
  };
}

/** Looks at the first bytes; @returns what a file that was cut off lacks (https://www.sqlite.org/fileformat.html) */
function checked(path: string, called: string): string | null {
  const head = Buffer.alloc(100);
  let read: number;
  let size: number;
  try {
    const file = openSync(path, 'r');
    try {
      read = readSync(file, head, 0, 100, 0);
      size = fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { reason, hint } = whyUnreadable(error);
    throw new TraceUnreadable('damaged', `${called} cannot be read: ${reason}`, hint);
  }
  const again = 'export the report again: nsys export -t sqlite FILE';
  if (read === 0) throw new TraceUnreadable('empty', `${called} is empty`, again);
  if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0'.slice(0, 16))
    throw new TraceUnreadable('foreign', `${called} is no SQLite database`, again);
  if (read < 100) throw new TraceUnreadable('damaged', `${called} ends within its header`, again);
  const stated = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
  const expected = stated * head.readUInt32BE(28);
  return expected > size ? `the file ends after ${size} of ${expected} bytes` : null;
}
