// Runs in a thread: helps to read tables of one file, one after the other.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { RawDatabase } from './raw.ts';
import type { ScanWanted } from './part-scan.ts';
import { Helper } from './shared-scan.ts';
import { openWasm } from './wasm.ts';

/** Tells a file from one that took its name later. */
export interface FileId {
  readonly device: number;
  readonly inode: number;
}

/** What a thread is begun with. */
export interface ScanFile {
  readonly path: string;
  readonly file: FileId;
  /** What is to be run once it is open. */
  readonly pragmas: readonly string[];
  /** The file that holds SQLite. */
  readonly wasm: string;
}

const { path, file, pragmas } = workerData as ScanFile;
let database: RawDatabase | null = null;

async function opened(): Promise<RawDatabase> {
  const raw = await openWasm(path);
  // An export that was replaced meanwhile is not mixed with the one that is read.
  const { dev, ino } = statSync(path);
  if (dev !== file.device || ino !== file.inode) throw new Error('another file has this name now');
  for (const sql of pragmas) raw.exec(sql);
  return raw;
}

async function help({ sql, row, memory }: ScanWanted): Promise<void> {
  database ??= await opened();
  const parts = database.parts!(sql);
  try {
    new Helper(memory).run(row, (first, last, each) => parts.read(first, last, row, each));
  } finally {
    parts.close();
  }
}

// Whoever asks reads on without help that fails to come.
let work: Promise<void> = Promise.resolve();
parentPort!.on('message', (wanted: ScanWanted) => {
  work = work.then(() => help(wanted)).catch(() => undefined);
});
