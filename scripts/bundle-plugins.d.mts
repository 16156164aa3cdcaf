/** The program of the thread that reads tables, as `scan-worker.ts` and all it needs. */
export function scanCode(): Promise<string>;
