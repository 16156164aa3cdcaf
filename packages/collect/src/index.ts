export type { Inputs, Sinks, TextSink, Unreadable } from './input.ts';
export { isFolder, readInputs } from './input.ts';
export { readAll, saveSnapshot } from './snapshot.ts';
export { listFolder } from './folder.ts';
