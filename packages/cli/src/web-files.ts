import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embeddedPage } from './embedded-page.ts';

/**
 * Where the built page lies: in the package, or in a checkout where `npm run build:web` made it.
 * @returns null where there is none
 */
function pageFolder(): string | null {
  const here = fileURLToPath(new URL('.', import.meta.url));
  // The bundle lies in packages/cli/dist, this file in packages/cli/src.
  const checkout = join(here, '../../web');
  // Packing leaves a copy in a checkout, which grows old. Beside an installed package `web` is somebody else's.
  const folder = existsSync(join(checkout, 'vite.config.ts')) ? join(checkout, 'dist') : join(here, '../web');
  return existsSync(join(folder, 'index.html')) ? folder : null;
}

/** Gives a file of the built page by its path; null where it has no such file. */
export type PageFiles = (path: string) => Uint8Array | null;

/** @returns null where the page was not built */
export function pageFiles(): PageFiles | null {
  const names = Object.keys(embeddedPage);
  if (names.length > 0)
    return (path) => (Object.hasOwn(embeddedPage, path) ? Buffer.from(embeddedPage[path]!, 'base64') : null);
  const folder = pageFolder();
  if (folder === null) return null;
  // Names of a build only: nothing that leads out of the folder.
  return (path) => {
    if (!/^(?:assets\/)?[\w-]{1,80}(?:\.[\w-]{1,40}){1,3}$/.test(path)) return null;
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file) : null;
  };
}
