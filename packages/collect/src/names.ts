import { lstatSync } from 'node:fs';

/**
 * Files that a name stands for: itself, or where it is no file and holds wildcards (`*`, `?`, `[…]`, `{…}`, `**`)
 * that the shell did not expand, the files that fit, in natural order.
 */
export async function filesOf(name: string): Promise<readonly string[]> {
  if (name === '-' || !/[*?[{]/.test(name) || exists(name)) return [name];
  const { glob } = await import('tinyglobby');
  const found = await glob(name, {
    absolute: name.startsWith('/'),
    onlyFiles: false,
    expandDirectories: false,
    followSymbolicLinks: false,
    dot: false,
    deep: 16,
  });
  const natural = new Intl.Collator('en', { numeric: true });
  // Folders end with a slash there; a file below a folder that fits too is read once, with the folder.
  const names = found.map((each) => each.replace(/\/$/, '')).sort((a, b) => natural.compare(a, b));
  const all = new Set(names);
  return names.filter((each) => !parents(each).some((parent) => all.has(parent)));
}

function parents(name: string): readonly string[] {
  const found: string[] = [];
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) found.push(name.slice(0, at));
  return found;
}

function exists(name: string): boolean {
  try {
    lstatSync(name);
    return true;
  } catch {
    return false;
  }
}
