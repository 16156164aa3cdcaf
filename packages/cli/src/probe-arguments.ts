import { statSync } from 'node:fs';
import type { FlagValue } from './commands/command.ts';
import { usageError } from './errors.ts';

const usual = 8;

/** The probe's arguments from the flags of a command line, and how long it may take. */
export function probeArguments(flags: Readonly<Record<string, FlagValue | undefined>>): {
  readonly args: readonly string[];
  readonly limitMs: number;
} {
  const args: string[] = [];
  const { root, budget } = flags as Readonly<Record<string, string | undefined>>;
  // Of check, processes are targets: there may be several.
  const pid = typeof flags['pid'] === 'string' ? flags['pid'] : undefined;
  if (pid !== undefined && root !== undefined)
    throw usageError('bad-value', '--pid and --root cannot both be', 'a process brings its own root');
  if (pid !== undefined) {
    if (!/^[1-9]\d{0,9}$/.test(pid)) throw usageError('bad-value', `--pid takes a number, not ${pid}`);
    if (statSync(`/proc/${pid}`, { throwIfNoEntry: false }) === undefined)
      throw usageError('bad-value', `there is no process ${pid}`, null);
    args.push('--pid', pid);
  }
  if (root !== undefined) {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw usageError('bad-value', `--root: there is no folder ${root}`);
    args.push('--root', root);
  }
  if (flags['gate'] === true) args.push('--gate');
  if (budget !== undefined && !/^[1-9]\d{0,2}$/.test(budget))
    throw usageError('bad-value', `--budget takes whole seconds from 1 to 999, not ${budget}`);
  if (budget !== undefined) args.push('--budget', budget);
  return { args, limitMs: 1000 * Number(budget ?? usual) };
}
