export { openImage } from './open-image.ts';
export { ImageError } from './errors.ts';
export type { ImageErrorCode } from './errors.ts';
export type { ImageOptions, ImageProgress } from './options.ts';
