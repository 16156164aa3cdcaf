// What of this package runs anywhere: no file is opened here, nothing of node is used. The page in the browser reads
// with it.
export { readSource } from './binary/read-source.ts';
export type { Contents, Sinks } from './content.ts';
export { Budget, Content, Enough } from './content.ts';
export { programText, otherFolders, skippedOf } from './folder-rules.ts';
export { archiveOf } from './image/archive.ts';
export { imageOfArchive } from './image/archive-image.ts';
export { ImageError } from './image/errors.ts';
export { LayerReader } from './image/layer-reader.ts';
export type { FoundImage } from './image/manifest.ts';
export type { OpenFile } from './image/open-file.ts';
export type { Inflater, LayerTools } from './image/packing.ts';
export { packingOf, plainInflater, throughOwnZstd, whatFailed as whatFailedInLayer } from './image/packing.ts';
export { databaseError, described, missingPart } from './sqlite/described.ts';
export type { RawDatabase } from './sqlite/raw.ts';
export { traceOf } from './sqlite/trace-of.ts';
export type { TraceFile, TraceSpool } from './trace/trace-stage.ts';
export { TraceStage } from './trace/trace-stage.ts';
export type { OpenUnpacker, Unpacker } from './unpacking.ts';
export { NoUnpacker, throughFzstd, whatFailed } from './unpacking.ts';
