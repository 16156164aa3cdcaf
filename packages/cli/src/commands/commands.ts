import type { Command, Flag } from './command.ts';
import { binary } from './binary-command.ts';
import { check } from './check-command.ts';
import { diagnose } from './diagnose-command.ts';
import { diff } from './diff-command.ts';
import { explain } from './explain-command.ts';
import { image } from './image-command.ts';
import { judge } from './judge-command.ts';
import { knowledge } from './knowledge-command.ts';
import { occupancy } from './occupancy-command.ts';
import { open } from './open-command.ts';
import { probe } from './probe-command.ts';
import { trace } from './trace-command.ts';
import { util } from './util-command.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  diagnose,
  check,
  diff,
  judge,
  image,
  binary,
  occupancy,
  util,
  trace,
  explain,
  open,
  probe,
  knowledge,
];

/** Flags that every command takes. */
export const commonFlags: readonly Flag[] = [
  { name: 'format', short: 'f', value: 'FORMAT', summary: 'how to print the answer' },
  { name: 'knowledge', value: 'DIR', summary: 'judge by the tables of this folder instead of the built-in ones' },
  { name: 'redact', summary: 'replace host names, users, addresses and serial numbers by stable pseudonyms' },
  { name: 'offline', summary: 'never use the network' },
  { name: 'color', value: 'WHEN', summary: 'colour the text', choices: ['auto', 'always', 'never'] },
  { name: 'quiet', short: 'q', summary: 'no notes on standard error' },
  { name: 'help', short: 'h', summary: 'print help' },
  { name: 'version', short: 'V', summary: 'print the version' },
];
