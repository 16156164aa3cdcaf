// Tables that two threads read together come out as one thread reads them: whole, damaged, left half-way, or without
// the other thread's help.
import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlError } from '../packages/core/src/trace/nsys/database.ts';
import { openNative } from '../packages/collect/src/sqlite/native.ts';
import type { ScanThread } from '../packages/collect/src/sqlite/part-scan.ts';
import { PartScan } from '../packages/collect/src/sqlite/part-scan.ts';
import type { RawDatabase } from '../packages/collect/src/sqlite/raw.ts';
import type { FileId } from '../packages/collect/src/sqlite/scan-worker.ts';
import type { ScanMemory } from '../packages/collect/src/sqlite/shared-scan.ts';
import { Helper, Leader, rowsOfPart, scanMemory } from '../packages/collect/src/sqlite/shared-scan.ts';
import { openWasm } from '../packages/collect/src/sqlite/wasm.ts';
import { scanCode } from '../scripts/bundle-plugins.mjs';
import { scratch } from './run-cli.ts';

const { path, remove } = scratch();
const rows = 120_000;
const sql = 'select a, b, c from T';
let code = '';

/** A database with one large table whose numbers follow from the row. */
function written(name: string, extra = ''): string {
  const file = path(name);
  const db = new sqlite.Database(file);
  db.exec(`create table T (a INTEGER, b INTEGER, c REAL);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    insert into T select i, i * 1000003 % 1000033, i / 8.0 from n; ${extra}`);
  db.close();
  return file;
}

/** Begins the thread that helps. */
function helped(file: string): (pragmas: readonly string[]) => ScanThread {
  const { dev, ino } = statSync(file);
  const id: FileId = { device: dev, inode: ino };
  return (pragmas) => {
    const wasm = join(import.meta.dirname, '../node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm');
    const worker = new Worker(code, { eval: true, workerData: { path: file, file: id, pragmas, wasm } });
    return { help: (wanted) => worker.postMessage(wanted), close: () => void worker.terminate() };
  };
}

/** A table of ten parts that holds the numbers of its rows. */
function counted(): {
  readonly memory: ScanMemory;
  readonly read: (row: Float64Array) => (first: number, to: number, each: () => void) => void;
  readonly numbers: readonly number[];
} {
  const last = 10 * rowsOfPart;
  return {
    memory: scanMemory(last, 1),
    read: (row) => (first, to, each) => {
      for (let at = first; at <= Math.min(to, last); at++) {
        row[0] = at;
        each();
      }
    },
    numbers: Array.from({ length: last }, (_, at) => at + 1),
  };
}

interface Taken {
  readonly rows: readonly string[];
  readonly error: string | null;
}

/** All rows as text, and how the reading ended. */
function taken(scan: (row: Float64Array, each: () => void) => void): Taken {
  const row = new Float64Array(4).fill(-7);
  const all: string[] = [];
  try {
    scan(row, () => void all.push(row.join()));
    return { rows: all, error: null };
  } catch (error) {
    return { rows: all, error: error instanceof SqlError ? `${error.code} ${error.message}` : String(error) };
  }
}

/** Takes the table by two threads. */
function together(raw: RawDatabase, file: string, damaged = false): Taken {
  const scan = new PartScan(raw, helped(file), damaged);
  try {
    return taken((row, each) => expect(scan.scan(sql, row, each, 'T')).toBe(true));
  } finally {
    scan.close();
  }
}

beforeAll(async () => {
  code = await scanCode();
});

afterAll(remove);

describe('a table that two threads read', () => {
  it('gives the rows of one thread, in their order, and leaves columns that it lacks', async () => {
    const file = written('whole.sqlite');
    const raw = await openWasm(file);
    const alone = taken((row, each) => raw.scan(sql, row, each));
    const both = together(raw, file);
    raw.close();
    expect(alone.rows).toHaveLength(rows);
    expect(alone.rows[41]).toBe(`42,${(42 * 1000003) % 1000033},5.25,-7`);
    expect(both).toEqual(alone);
  });

  it('skips numbers of rows that are not there', async () => {
    const file = written('gaps.sqlite', 'delete from T where a between 5000 and 60000 or a % 7 = 0;');
    const raw = await openWasm(file);
    const alone = taken((row, each) => raw.scan(sql, row, each));
    expect(together(raw, file)).toEqual(alone);
    raw.close();
    expect(alone.rows.length).toBeLessThan(rows / 1.5);
  });

  it('stops at damage where one thread does', async () => {
    for (const share of [0.3, 0.6, 0.97]) {
      const file = written(`damaged-${share}.sqlite`);
      const size = statSync(file).size;
      const at = Math.floor((size * share) / 4096) * 4096;
      const bytes = openSync(file, 'r+');
      writeSync(bytes, Buffer.alloc(4096, 0xa5), 0, 4096, at);
      closeSync(bytes);
      const raw = await openWasm(file);
      const alone = taken((row, each) => raw.scan(sql, row, each));
      const both = together(raw, file);
      raw.close();
      expect(alone.error).toMatch(/^damaged /);
      expect(both).toEqual(alone);
    }
  });

  it('ends where whoever takes the rows throws', async () => {
    const file = written('left.sqlite');
    const raw = await openWasm(file);
    const scan = new PartScan(raw, helped(file), false);
    let count = 0;
    const enough = new Error('enough');
    const run = (): void => {
      scan.scan(
        sql,
        new Float64Array(3),
        () => {
          if (++count === 50_000) throw enough;
        },
        'T',
      );
    };
    expect(run).toThrow(enough);
    // The same threads read the next table whole.
    const next = taken((row, each) => scan.scan(sql, row, each, 'T'));
    scan.close();
    raw.close();
    expect(next.rows).toHaveLength(rows);
  });

  it('is read without a thread that never comes', async () => {
    const file = written('alone.sqlite');
    const raw = await openWasm(file);
    const scan = new PartScan(raw, () => ({ help: () => undefined, close: () => undefined }), false);
    const got = taken((row, each) => scan.scan(sql, row, each, 'T'));
    raw.close();
    expect(got.rows).toHaveLength(rows);
    expect(got.error).toBeNull();
  });

  it('is read on without a thread that does not come to the end of a part', () => {
    const { memory, read, numbers } = counted();
    const row = new Float64Array(1);
    const seen: number[] = [];
    // The thread has claimed the first part, and is not through with it when the table is.
    new Helper(memory).run(new Float64Array(1), (first, to, each) => {
      new Leader(memory, row, () => void seen.push(row[0]!), read(row)).run(50);
      read(row)(first, to, each);
    });
    expect(seen).toEqual(numbers);
  });

  it('has the parts that only the other thread cannot read', () => {
    const { memory, read, numbers } = counted();
    new Helper(memory).run(new Float64Array(1), () => {
      throw new Error('no memory left in this thread');
    });
    const row = new Float64Array(1);
    const seen: number[] = [];
    new Leader(memory, row, () => void seen.push(row[0]!), read(row)).run(50);
    expect(seen).toEqual(numbers);
  });

  it('does not come from two files, where another one took the name', async () => {
    const file = written('replaced.sqlite');
    const raw = await openWasm(file);
    const alone = taken((row, each) => raw.scan(sql, row, each));
    const begin = helped(file);
    renameSync(written('newer.sqlite', 'update T set b = -1;'), file);
    const scan = new PartScan(raw, begin, false);
    const both = taken((row, each) => scan.scan(sql, row, each, 'T'));
    scan.close();
    raw.close();
    expect(both).toEqual(alone);
  });

  it('is not cut into parts where rows have no numbers, a column hides them, or most are left out', async () => {
    const file = path('odd.sqlite');
    const db = new sqlite.Database(file);
    db.exec('create table T (a INTEGER, rowid INTEGER, b, c); insert into T values (1, 5, 2, 3), (4, 5, 5, 6)');
    db.exec('create table W (a INTEGER PRIMARY KEY, b, c) without rowid; insert into W values (1, 2, 3)');
    db.exec('create table N (a, b, c); insert into N (rowid, a) values (-5, 1), (7, 2)');
    db.exec('create table G (a, b, c, RowId as (100000)); insert into G (a) values (1), (2)');
    db.exec('create table L (a, b, c); insert into L (rowid, a) values (1, 1), (2000000000, 2)');
    db.close();
    const raw = await openWasm(file);
    const scan = new PartScan(raw, null, false);
    for (const table of ['T', 'W', 'N', 'G', 'L'])
      expect(scan.scan(`select a, b, c from ${table}`, new Float64Array(3), () => expect.fail(), table)).toBe(false);
    raw.close();
  });

  it('is read by the SQLite of Node as well, where there is one', async () => {
    const file = written('native.sqlite');
    const raw = openNative(file);
    if (raw === null) return;
    const alone = taken((row, each) => raw.scan(sql, row, each));
    expect(together(raw, file)).toEqual(alone);
    raw.close();
    expect(alone.rows).toHaveLength(rows);
  });
});
