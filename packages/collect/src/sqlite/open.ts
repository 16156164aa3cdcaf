import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { SqlError } from '@culprit/core/trace/nsys/database';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { whyUnreadable } from '../unreadable.ts';
import type { OpenDatabase } from './described.ts';
import { databaseError, described, missingPart } from './described.ts';
import { openNative } from './native.ts';
import { scanThread } from './scan-thread.ts';
import type { FileId } from './scan-worker.ts';
import { openWasm } from './wasm.ts';

/** A thread takes some 100 ms to begin: a smaller file is read sooner without. */
const worthThread = 16 * 1024 ** 2;

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
  const { cut, size, id, isUtf16 } = checked(file, called);
  try {
    const path = resolve(file);
    const native = engine === 'wasm' ? null : openNative(path);
    if (native === null && engine === 'node') throw new SqlError('unreadable', 'this Node has no SQLite of its own');
    if (native === null && isUtf16)
      throw new TraceUnreadable(
        'damaged',
        `${called} holds its texts as UTF-16, which needs the SQLite of Node 22.15 or newer`,
        'write it anew in UTF-8: sqlite3 FILE .dump | sqlite3 NEW',
      );
    const raw = native ?? (await openWasm(path));
    return described(raw, cut, size < worthThread ? null : (pragmas) => scanThread(path, id, pragmas));
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    throw databaseError(error, called);
  }
}

/** What is known of a file before it is opened. */
interface Checked {
  /** What a file that was cut off lacks (https://www.sqlite.org/fileformat.html); null where it is whole. */
  readonly cut: string | null;
  readonly size: number;
  readonly id: FileId;
  /** SQLite as it is compiled to WebAssembly knows UTF-8 alone. */
  readonly isUtf16: boolean;
}

/** Looks at the first bytes. */
function checked(path: string, called: string): Checked {
  const head = Buffer.alloc(100);
  let read: number;
  let size: number;
  let id: FileId;
  try {
    const file = openSync(path, 'r');
    try {
      read = readSync(file, head, 0, 100, 0);
      const stat = fstatSync(file);
      size = stat.size;
      id = { device: stat.dev, inode: stat.ino };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { reason, hint } = whyUnreadable(error);
    throw new TraceUnreadable('damaged', `${called} cannot be read: ${reason}`, hint);
  }
  return {
    cut: missingPart(head.subarray(0, read), size, called),
    size,
    id,
    isUtf16: [2, 3].includes(head.readUInt32BE(56)),
  };
}
