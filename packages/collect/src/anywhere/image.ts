// Runs anywhere: no file is opened here, and nothing of node is used. The page in the browser reads with it.
export { archiveOf } from '../image/archive.ts';
export { imageOfArchive } from '../image/archive-image.ts';
export { ImageError } from '../image/errors.ts';
export { LayerReader } from '../image/layer-reader.ts';
export type { FoundImage } from '../image/manifest.ts';
export type { OpenFile } from '../image/open-file.ts';
export type { Inflater, LayerTools } from '../image/packing.ts';
export { packingOf, plainInflater, throughOwnZstd, whatFailed } from '../image/packing.ts';
