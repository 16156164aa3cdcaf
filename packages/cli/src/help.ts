import { wrap } from '@culprit/core/report/visible';
import type { Command, Flag } from './commands/command.ts';

/** Help of the program: every command in a line. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((each) => each.name.length));
  return [
    'culprit: which layer of a GPU stack is to blame, by which rule, on which evidence, who fixes it',
    '',
    'usage: culprit COMMAND …',
    '',
    ...commands.map((each) => `  ${each.name.padEnd(width)}  ${each.summary}`),
    '',
    'culprit COMMAND --help tells more. Exit status: 0 nothing wrong, 1 something is, 2 usage, 3 cannot tell, 4 the tool failed.',
    '',
  ].join('\n');
}

/** Help of one command. */
export function helpOf(command: Command, common: readonly Flag[]): string {
  const lines = [
    `culprit ${command.name}: ${command.summary}`,
    '',
    `usage: culprit ${command.name}${command.arguments === '' ? '' : ` ${command.arguments}`} [FLAGS]`,
    '',
    ...command.details.flatMap((each) => [...wrap(each, 100), '']),
  ];
  const flags = [...command.flags, ...common.filter((flag) => flag.name !== 'format' || command.formats.length > 0)];
  const left = flags.map(flagText);
  const width = Math.max(...left.map((each) => each.length));
  lines.push('flags:');
  flags.forEach((flag, at) => lines.push(`  ${left[at]!.padEnd(width)}  ${flagSummary(flag, command)}`));
  if (command.examples.length > 0)
    lines.push('', 'examples:', ...command.examples.map((each) => `  ${each.command}    # ${each.does}`));
  lines.push('', 'exit status:');
  for (const { status, when } of exitsOf(command)) lines.push(`  ${status}  ${when}`);
  return `${lines.join('\n')}\n`;
}

/** All exit statuses of a command, in order. */
function exitsOf(command: Command): readonly { readonly status: number; readonly when: string }[] {
  return [
    ...command.exits,
    { status: 2, when: 'the command line is wrong' },
    { status: 4, when: 'the tool failed, or an input could not be read' },
  ].sort((a, b) => a.status - b.status);
}

/** `-f, --format FORMAT` */
function flagText(flag: Flag): string {
  return `${flag.short === undefined ? '    ' : `-${flag.short}, `}--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`;
}

function flagSummary(flag: Flag, command: Command): string {
  if (flag.name === 'format') return `${flag.summary}: ${command.formats.join(', ')}`;
  return flag.choices === undefined ? flag.summary : `${flag.summary}: ${flag.choices.join(', ')}`;
}

/** The page of a command in `docs/cli`. */
export function pageOf(command: Command, common: readonly Flag[]): string {
  const flags = [...command.flags, ...common.filter((flag) => flag.name !== 'format' || command.formats.length > 0)];
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  return [
    `# culprit ${command.name}`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    '```',
    `culprit ${command.name}${command.arguments === '' ? '' : ` ${command.arguments}`} [FLAGS]`,
    '```',
    '',
    ...command.details.flatMap((each) => [each, '']),
    '| flag | |',
    '|---|---|',
    ...flags.map((flag) => `| \`${cell(flagText(flag).trim())}\` | ${cell(flagSummary(flag, command))} |`),
    '',
    ...(command.examples.length === 0
      ? []
      : ['```sh', ...command.examples.flatMap((each) => [`# ${each.does}`, each.command]), '```', '']),
    '| exit status | when |',
    '|---|---|',
    ...exitsOf(command).map((each) => `| ${each.status} | ${each.when} |`),
    '',
  ].join('\n');
}

/** The index of `docs/cli`. */
export function indexPage(commands: readonly Command[]): string {
  return [
    '# The command line',
    '',
    'Generated from the table of commands (`packages/cli/src/commands/`); `npm run generate` renews it.',
    '',
    '| command | |',
    '|---|---|',
    ...commands.map((each) => `| [culprit ${each.name}](${each.name}.md) | ${each.summary} |`),
    '',
    'Data goes to standard output, notes and errors to standard error. Of several targets the first of the statuses 4, 1, 3, 0 that occurs is the exit status.',
    '',
  ].join('\n');
}
