import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { toolError, usageError } from '../errors.ts';
import type { Call } from './command.ts';

/** Flags that name a file with a picture of a trace. */
export const pictureFlags: readonly string[] = ['html', 'svg', 'timeline'];

/** What is wrong with the flags for pictures is said before anything is read: a large trace takes its time. */
export function checkPictureFlags({ flags, positionals }: Call): void {
  const range = flags['range'];
  if (range !== undefined && flags['svg'] === undefined)
    throw usageError('bad-value', '--range belongs to --svg, which is not given', '--svg FILE --range 100ms..250ms');
  if (typeof range === 'string') rangeOf(range);
  for (const flag of pictureFlags) {
    const file = flags[flag];
    if (typeof file !== 'string') continue;
    if (flags['compare'] === true)
      throw usageError('bad-value', `--compare draws no picture, and --${flag} names one`, 'draw each trace by itself');
    if (file === '' || positionals.includes(file))
      throw usageError('bad-value', `--${flag} needs the name of a file that is not read`, null);
    checkWritable(file);
  }
}

function checkWritable(file: string): void {
  try {
    const state = statSync(file, { throwIfNoEntry: false });
    if (state?.isDirectory() === true) throw new Error('it is a directory');
    accessSync(state === undefined ? dirname(file) : file, constants.W_OK);
  } catch (error) {
    throw toolError('not-written', `${file} cannot be written: ${(error as Error).message}`);
  }
}

const units: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** `100ms..250ms` in ns. */
export function rangeOf(given: string): readonly [from: number, to: number] {
  const times = given.split('..').map((part) => {
    const found = /^(\d{1,15}(?:\.\d{1,9})?)(ns|us|µs|ms|s)$/.exec(part.trim());
    return found === null ? null : Number(found[1]) * units[found[2]!]!;
  });
  const [from, to] = times;
  if (times.length !== 2 || from == null || to == null || from >= to)
    throw usageError('bad-value', `--range ${given} is not FROM..TO`, 'as 100ms..250ms, from the first event on');
  return [from, to];
}
