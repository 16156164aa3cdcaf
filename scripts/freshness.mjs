// Whether what was built is newer than what it was built from.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Newest change below a path, and how many files there are: a removed file counts too. */
function state(path, seen) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) {
    for (const name of readdirSync(path)) state(join(path, name), seen);
  } else if (!path.endsWith('.test.ts')) {
    seen.files++;
    seen.newest = Math.max(seen.newest, found.mtimeMs);
  }
}

/** A line that changes when any of the files or folders does; tests do not count. */
export function signatureOf(root, watched) {
  const seen = { newest: 0, files: 0 };
  for (const path of watched) state(join(root, path), seen);
  return `${seen.files} files, newest ${Math.round(seen.newest)}, node ${process.versions.node}\n`;
}
