import { closeSync, openSync, renameSync, statSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import type { MaskKind } from '@culprit/core/report/redact-span';
import { maskedWords } from '@culprit/core/report/redact-words';
import type { Call } from './commands/command.ts';
import { toolError, usageError } from './errors.ts';

/** Where a report goes, and how. */
export interface ReportTarget {
  readonly redact: boolean;
  readonly color: boolean;
  readonly columns: number | null;
  /** Writes a part of the report. */
  write(text: string): void;
  /** The report is complete. @param masked what was masked; null where nothing was to be */
  done(masked: readonly { readonly kind: MaskKind; readonly count: number }[] | null): void;
}

/**
 * Standard output, or the file of `--output`. What goes into a file or is to be shared is redacted, unless
 * `--no-redact` says otherwise.
 */
export function reportTarget(call: Call): ReportTarget {
  const { flags, output } = call;
  const file = flags['output'] === '-' ? undefined : (flags['output'] as string | undefined);
  const share = flags['share'] === true;
  if (flags['redact'] === true && flags['no-redact'] === true)
    throw usageError('bad-value', '--redact and --no-redact cannot both be', null);
  if (file === '') throw usageError('bad-value', '--output needs the name of a file', null);
  const redact = flags['redact'] === true || ((file !== undefined || share) && flags['no-redact'] !== true);
  if (file === undefined) {
    return {
      redact,
      color: output.color && !share,
      columns: output.columns,
      write: (text) => output.data(text),
      done: () => {},
    };
  }
  for (const name of call.positionals) {
    if (isSame(file, name))
      throw usageError('bad-value', `--output ${file} is one of the inputs; it would be lost`, 'name another file');
  }
  return toFile(file, call, redact);
}

/** True where both names lead to one file, by whatever links. */
function isSame(one: string, other: string): boolean {
  try {
    const [a, b] = [statSync(one), statSync(other)];
    return a.isFile() && a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}

/** A new or plain file appears when the report is complete; what is followed grows in place. */
function toFile(file: string, call: Call, redact: boolean): ReportTarget {
  const grows = call.flags['follow'] === true;
  const state = attempt(file, () => statSync(file, { throwIfNoEntry: false }));
  if (state?.isDirectory() === true) throw toolError('not-written', `${file} is a directory`, 'name a file in it');
  const parts: string[] = [];
  let fd: number | null = grows ? attempt(file, () => openSync(file, 'w')) : null;
  return {
    redact,
    color: call.flags['color'] === 'always',
    columns: null,
    write: (text) => {
      if (fd === null) parts.push(text);
      else attempt(file, () => writeSync(fd!, text));
    },
    done: (masked) => {
      if (fd !== null) closeSync(fd);
      else if (state === undefined || state.isFile()) replace(file, parts.join(''));
      else attempt(file, () => writeFileSync(file, parts.join('')));
      fd = null;
      const words = masked === null ? null : maskedWords(masked);
      call.output.note(
        `culprit: wrote ${file}${!redact ? '; nothing in it is masked' : words === null ? '; nothing in it had to be masked' : `; masked: ${words}`}`,
      );
    },
  };
}

function replace(file: string, text: string): void {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text);
    renameSync(beside, file);
  } catch {
    try {
      unlinkSync(beside);
    } catch {
      // it was never there
    }
    // The folder may not take a new file where the file itself may be written.
    attempt(file, () => writeFileSync(file, text));
  }
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toolError('not-written', `${file} cannot be written: ${(error as Error).message}`);
  }
}
