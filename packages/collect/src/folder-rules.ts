/** Files that are read of all folders and archives of one question together. */
export const mostFiles = 10_000;
/** Folders in one another. */
export const deepestFolder = 16;

const sourceNames =
  /\.(?:md|rst|adoc|html?|css|py|pyi|c|cc|cpp|cxx|cu|cuh|h|hpp|ts|tsx|js|mjs|go|rs|java|ipynb|ptx|po|svg)$/i;

/** Program text and documentation quote messages that nobody saw: in a folder they are left out. */
export function programText(name: string): boolean {
  return sourceNames.test(name);
}

/** Folders that hold no logs. */
export const otherFolders: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__']);

/** Counts what was left out, by reason. */
export interface Skipped {
  add(name: string, why: string): void;
  /** One sentence for each reason. */
  said(of: string): readonly string[];
}

export function skippedOf(): Skipped {
  const reasons = new Map<string, { count: number; readonly names: string[] }>();
  return {
    add: (name, why) => {
      const known = reasons.get(why) ?? { count: 0, names: [] };
      known.count++;
      if (known.names.length < 3) known.names.push(name);
      reasons.set(why, known);
    },
    said: (of) =>
      [...reasons].map(
        ([why, { count, names }]) =>
          `${count} ${count === 1 ? 'file' : 'files'} of ${of} left out (${why}): ${names.join(', ')}${count > names.length ? ', …' : ''}`,
      ),
  };
}
