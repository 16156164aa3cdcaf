// Runs anywhere: no file is opened here, and nothing of node is used. The page in the browser reads with it.
export type { Contents, Sinks } from '../content.ts';
export { Budget, Content, Enough } from '../content.ts';
export { deepestFolder, mostFiles, otherFolders, programText, skippedOf } from '../folder-rules.ts';
export type { OpenUnpacker, Unpacker } from '../unpacking.ts';
export { NoUnpacker, throughFzstd, whatFailed } from '../unpacking.ts';
