import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ScanThread } from './part-scan.ts';
import type { FileId, ScanFile } from './scan-worker.ts';
import { scanProgram } from './worker-code.ts';

/** Begins a thread that reads tables of a file; null where there is one processor, or the sources are not built. */
export function scanThread(path: string, file: FileId, pragmas: readonly string[]): ScanThread | null {
  if (scanProgram === null || availableParallelism() < 2) return null;
  let worker: Worker;
  try {
    worker = new Worker(scanProgram.code, {
      eval: true,
      workerData: { path, file, pragmas, wasm: scanProgram.wasm } satisfies ScanFile,
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 96 },
    });
  } catch {
    // No more threads are allowed here.
    return null;
  }
  // What it does not read is read without it.
  worker.on('error', () => undefined);
  worker.unref();
  return {
    help: (wanted) => worker.postMessage(wanted),
    close: () => void worker.terminate(),
  };
}
