import type { ScannedImage } from '@culprit/core/image/model';
import { ImageError } from './errors.ts';
import type { ImageOptions } from './options.ts';

/**
 * Reads an image, wherever it is: a registry reference, an OCI layout (folder or tar), an archive of docker or podman, a
 * folder with a root file system. Nothing of it is run or written to disk.
 * @param reference as a person writes it: `nvcr.io/nvidia/pytorch:24.05-py3`, `./image.tar`, `oci:folder:tag`, `/mnt/root`
 * @throws ImageError where it cannot be read, or is not what its digests say
 */
export async function openImage(reference: string, options: ImageOptions = {}): Promise<ScannedImage> {
  void options;
  throw new ImageError('no-image', `${reference}: not read yet`);
}
