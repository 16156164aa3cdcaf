import { readdirSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { listFolder } from '@culprit/collect';

/** The files of one subject, and what it is called. */
export interface Files {
  readonly name: string;
  readonly files: readonly string[];
}

export interface Listed {
  readonly subjects: readonly Files[];
  /** Name of the folder that the group is, else null. */
  readonly label: string | null;
  /** What of folders is not read, in words. */
  readonly left: readonly string[];
}

/** Names of files that say what a text is of, not whose it is. */
const sourceWords =
  /(?:dmesg|nvidia|smi|lsmod|modinfo|journal|syslog|messages|kern|lspci|ldconfig|env|pip|conda|dpkg|rpm|apt|ibstat|ibv|topo|uname|os-release|nvcc|docker|kubectl|dcgm|nccl|versions?|proc|mount|cgroup|slurm|sacct|scontrol|sysctl|ulimit|lscpu|ethtool|packages|history|collect|fabric|stdout|stderr|output|console)/i;

/**
 * What the names of one side stand for. A folder of sub-folders is a group with one subject for each of them and of its
 * files; a folder of files is one subject where the files are named after what they are from, else a group.
 */
export function listSubjects(names: readonly string[], each: 'file' | 'folder' | null): Listed {
  const subjects: Files[] = [];
  const left: string[] = [];
  for (const name of names) {
    const listing = isFolder(name) ? listingOf(name) : null;
    if (listing === null) {
      subjects.push({ name, files: [name] });
      continue;
    }
    left.push(...listing.left);
    subjects.push(...inFolder(name, listing.files, each));
  }
  const [only = ''] = names;
  const group = names.length === 1 && subjects.length > 1;
  return { subjects: named(subjects), label: group ? trimmed(only) : null, left };
}

function listingOf(name: string): { readonly files: readonly string[]; readonly left: readonly string[] } | null {
  try {
    return listFolder(name);
  } catch {
    return null;
  }
}

function inFolder(folder: string, files: readonly string[], each: 'file' | 'folder' | null): readonly Files[] {
  const parts = new Map<string, string[]>();
  for (const file of files) {
    const part = relative(folder, file).split(sep)[0]!;
    const known = parts.get(part);
    if (known === undefined) parts.set(part, [file]);
    else known.push(file);
  }
  const nested = subFolders(folder).some((name) => parts.has(name));
  if (each === 'folder' && !nested) return [{ name: trimmed(folder), files }];
  if (!nested && each === null && namesSources([...parts.keys()])) return [{ name: trimmed(folder), files }];
  return [...parts].map(([part, own]) => ({ name: join(trimmed(folder), part), files: own }));
}

/** Most of the names are of sources, and no two differ by a number alone, as those of nodes do. */
function namesSources(names: readonly string[]): boolean {
  const stems = names.map((name) => name.replace(/\.(?:log|txt|out|err|json|gz|zst|xz)+$/i, ''));
  const series = new Set(stems.map((stem) => stem.replaceAll(/\d{1,12}/g, '#')));
  if (series.size < stems.length) return false;
  return stems.filter((stem) => sourceWords.test(stem)).length * 2 > stems.length;
}

function subFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

function isFolder(name: string): boolean {
  try {
    return name !== '-' && statSync(name).isDirectory();
  } catch {
    return false;
  }
}

function trimmed(name: string): string {
  return name.length > 1 && name.endsWith('/') ? name.slice(0, -1) : name;
}

/** Short names where they still tell the subjects apart. */
function named(subjects: readonly Files[]): readonly Files[] {
  const short = subjects.map((subject) => basename(subject.name));
  if (new Set(short).size === short.length) return subjects.map((subject, at) => ({ ...subject, name: short[at]! }));
  return subjects;
}
