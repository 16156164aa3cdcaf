// Runs anywhere: no file is opened here, and nothing of node is used. The page in the browser reads with it.
export { databaseError, described, missingPart } from '../sqlite/described.ts';
export type { RawDatabase } from '../sqlite/raw.ts';
export { traceOf } from '../sqlite/trace-of.ts';
export type { TraceFile, TraceSpool } from '../trace/trace-stage.ts';
export { TraceStage } from '../trace/trace-stage.ts';
