import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { deepestFolder, mostFiles, otherFolders, programText, skippedOf } from './folder-rules.ts';

/** Files of a folder, and what of it is not read. */
export interface Listing {
  /** Paths that begin with the folder's name, in natural order: `rank2.log` before `rank10.log`. */
  readonly files: readonly string[];
  readonly left: readonly string[];
  readonly tooMany: boolean;
  /** Folders that could not be listed, with the system's code. */
  readonly closed: readonly { readonly name: string; readonly error: unknown }[];
}

const natural = new Intl.Collator('en', { numeric: true });

/**
 * Lists the files below a folder that may be logs. Symbolic links are followed to files inside the folder only;
 * pipes, sockets and devices are never opened.
 * @throws the system's error where the folder itself cannot be listed
 */
export function listFolder(folder: string): Listing {
  const root = realpathSync(folder);
  const files: string[] = [];
  const closed: { name: string; error: unknown }[] = [];
  const skipped = skippedOf();
  let tooMany = false;
  const walk = (path: string, depth: number): void => {
    const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => natural.compare(a.name, b.name));
    for (const entry of entries) {
      const name = join(path, entry.name);
      if (entry.isDirectory()) {
        if (otherFolders.has(entry.name)) skipped.add(entry.name, 'no logs are in such folders');
        else if (depth >= deepestFolder) skipped.add(relative(folder, name), 'too deep');
        else {
          try {
            walk(name, depth + 1);
          } catch (error) {
            closed.push({ name, error });
          }
        }
        continue;
      }
      const why = whyNot(name, entry.isSymbolicLink(), entry.isFile(), root);
      if (why !== null) skipped.add(relative(folder, name), why);
      else if (files.length >= mostFiles) {
        tooMany = true;
        skipped.add(relative(folder, name), 'too many');
      } else files.push(name);
    }
  };
  walk(folder, 0);
  return { files, left: skipped.said(folder), tooMany, closed };
}

function whyNot(name: string, link: boolean, plain: boolean, root: string): string | null {
  if (programText(name)) return 'program text or documentation';
  if (plain) return null;
  if (!link) return 'no plain file';
  try {
    const target = realpathSync(name);
    if (!target.startsWith(root + sep)) return 'a symbolic link that leads out of the folder';
    return statSync(target).isFile() ? null : 'a symbolic link to a folder or device';
  } catch {
    return 'a symbolic link to nothing';
  }
}
