// What the thread that reads tables runs. Building puts the text of `scan-worker.ts` and all it needs here; where the
// sources run unbuilt, and in the single binary, tables are read in the main thread.

/** The program of a thread, and the file of SQLite that it loads. */
export interface ScanProgram {
  readonly code: string;
  readonly wasm: string;
}

/** Null where there is none. */
export const scanProgram: ScanProgram | null = null;
