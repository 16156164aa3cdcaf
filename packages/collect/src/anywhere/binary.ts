// Runs anywhere: no file is opened here, and nothing of node is used. The page in the browser reads with it.
export type { ReadBinary } from '../binary/read-source.ts';
export { readSource } from '../binary/read-source.ts';
