// What the threads that read layers run. Building puts the text of `layer-worker.ts` and all it needs here, so that the
// program stays in its own files; where the sources run unbuilt, layers are read in the main thread.

/** Text of the program of a thread; null where there is none. */
export const workerCode: string | null = null;
