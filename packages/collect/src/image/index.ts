export { openImage } from './open-image.ts';
export { ImageError } from './errors.ts';
export type { ImageOptions } from './options.ts';
