import { parseArgs } from 'node:util';
import type { Command, Flag, FlagValue } from './commands/command.ts';
import { usageError } from './errors.ts';

/** A command line that was read by a command's own table. */
export interface ParsedLine {
  readonly flags: Readonly<Record<string, FlagValue | undefined>>;
  readonly positionals: readonly string[];
}

/** Begins with a dash, and is no flag. */
function isWord(arg: string): boolean {
  return /^-(?:\d+$|[^=\s]*\s)/.test(arg);
}

function asTyped(word: string): string {
  return word.startsWith(' -') && isWord(word.slice(1)) ? word.slice(1) : word;
}

/**
 * Reads what follows the command's name.
 * @throws CulpritError (usage) that names the flag, with what was probably meant
 */
export async function parseLine(
  command: Command,
  common: readonly Flag[],
  args: readonly string[],
): Promise<ParsedLine> {
  const flags = [...command.flags, ...common];
  const options = Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      {
        type: flag.value === undefined ? ('boolean' as const) : ('string' as const),
        ...(flag.short === undefined ? {} : { short: flag.short }),
        ...(flag.multiple === undefined && flag.rest === undefined ? {} : { multiple: true }),
      },
    ]),
  );
  const known = new Set(flags.map((flag) => flag.name));
  const shorts = new Set(flags.flatMap((flag) => flag.short ?? []));
  const help = `culprit ${command.name} --help lists the flags`;
  let parsed;
  try {
    // No flag is a number: a negative status code is a word. Nor does one hold white space before its value: a ticket
    // whose first line is `- H100` is a text.
    const words = args.map((arg) => (isWord(arg) ? ` ${arg}` : arg));
    parsed = parseArgs({ args: words, options, allowPositionals: true, strict: false, tokens: true });
  } catch (error) {
    throw usageError('unknown-flag', (error as Error).message, help);
  }
  const values: Record<string, FlagValue | undefined> = {};
  const positionals: string[] = [];
  let rest: string | null = null;
  const add = (name: string, value: string): void => {
    values[name] = [...((values[name] as readonly string[] | undefined) ?? []), value];
  };
  for (const token of parsed.tokens ?? []) {
    if (token.kind === 'positional') {
      const word = asTyped(token.value);
      if (rest === null) positionals.push(word);
      else add(rest, word);
    }
    if (token.kind !== 'option') continue;
    if (!known.has(token.name)) {
      const short = !token.rawName.startsWith('--');
      const { nearest } = await import('@culprit/core/text/nearest');
      const guess = short && !shorts.has(token.name) ? [] : nearest(token.name, [...known]);
      throw usageError(
        'unknown-flag',
        `${command.name} has no flag ${token.rawName}`,
        guess.length === 0 ? help : `did you mean --${guess.join(' or --')}?`,
      );
    }
    const flag = flags.find((each) => each.name === token.name)!;
    if (flag.value !== undefined && token.value === undefined) {
      throw usageError(
        'bad-value',
        `--${flag.name} needs a value: --${flag.name} ${flag.value}`,
        [flag.summary, ...(flag.choices === undefined ? [] : [flag.choices.join(', ')])].join(': '),
      );
    }
    if (flag.value === undefined && token.value !== undefined) {
      throw usageError('bad-value', `--${flag.name} takes no value`, help);
    }
    if (token.value !== undefined && flag.choices !== undefined && !flag.choices.includes(token.value)) {
      throw usageError('bad-value', `--${flag.name} is ${flag.choices.join(', ')}, not ${token.value}`, null);
    }
    const value = token.value === undefined ? true : asTyped(token.value);
    if (flag.rest === true) rest = flag.name;
    if (flag.multiple === true || flag.rest === true) add(flag.name, String(value));
    else values[flag.name] = value;
  }
  return { flags: values, positionals };
}
