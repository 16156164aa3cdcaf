// Why the system does not let a file be read, in words.

const reasons: Readonly<Record<string, readonly [string, string | null]>> = {
  ENOENT: ['there is no such file', null],
  EISDIR: ['it is a folder', null],
  ENOTDIR: ['a part of its path is not a directory', null],
  EACCES: ['reading it is not permitted', 'run culprit as a user who may read it'],
  EPERM: ['reading it is not permitted', 'run culprit as a user who may read it'],
  ELOOP: ['its symbolic links run in a circle', null],
  ENAMETOOLONG: ['its name is too long', null],
  EMFILE: ['too many files are open', null],
  ENXIO: ['nothing is behind this device or socket', null],
};

/** The reason in words, and what helps. */
export function whyUnreadable(error: unknown): { readonly reason: string; readonly hint: string | null } {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const known = code === undefined ? undefined : reasons[code];
  if (known !== undefined) return { reason: `${known[0]} (${code})`, hint: known[1] };
  return { reason: error instanceof Error ? error.message : String(error), hint: null };
}
