// Runs in a thread: helps to read tables of one file, one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { SqlError } from '@culprit/core/trace/nsys/database';
import type { RawDatabase } from './raw.ts';
import type { ScanWanted } from './part-scan.ts';
import type { ScanFailure } from './shared-scan.ts';
import { Helper } from './shared-scan.ts';
import { openWasm } from './wasm.ts';

/** What a thread is begun with. */
export interface ScanFile {
  readonly path: string;
  /** What is to be run once it is open. */
  readonly pragmas: readonly string[];
  /** The file that holds SQLite. */
  readonly wasm: string;
}

const { path, pragmas } = workerData as ScanFile;
let database: RawDatabase | null = null;

async function opened(): Promise<RawDatabase> {
  const raw = await openWasm(path);
  for (const sql of pragmas) raw.exec(sql);
  return raw;
}

async function help({ sql, row, memory }: ScanWanted): Promise<void> {
  database ??= await opened();
  const parts = database.parts!(sql);
  try {
    new Helper(memory).run(row, (first, last, each) => parts.read(first, last, row, each), failureOf);
  } finally {
    parts.close();
  }
}

function failureOf(error: unknown): ScanFailure {
  if (error instanceof SqlError) return { code: error.code, message: error.message };
  return { code: 'unreadable', message: error instanceof Error ? error.message : String(error) };
}

// Whoever asks reads on without help that fails to come.
let work: Promise<void> = Promise.resolve();
parentPort!.on('message', (wanted: ScanWanted) => {
  work = work.then(() => help(wanted)).catch(() => undefined);
});
