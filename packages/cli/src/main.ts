import type { Call, Command, FlagValue } from './commands/command.ts';
import { commands, commonFlags } from './commands/commands.ts';
import { CulpritError, usageError } from './errors.ts';
import { errorLines, processOutput, write } from './output.ts';
import { parseLine } from './parse-line.ts';
import { version } from './version.ts';

/** Runs one command line. @returns the exit status */
async function main(args: readonly string[]): Promise<number> {
  const name = args[0];
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const wanted = name === 'help' ? args[1] : undefined;
    const { overview, helpOf } = await import('./help.ts');
    write(
      name === undefined ? 2 : 1,
      wanted === undefined ? overview(commands) : helpOf(await commandNamed(wanted), commonFlags),
    );
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-V' || name === 'version') {
    write(1, `${version}\n`);
    return 0;
  }
  if (name === 'check' && args.includes('--gate')) {
    const { gate, isGate } = await import('./commands/gate-entry.ts');
    if (isGate(args)) return gate(args);
  }
  const command = await commandNamed(name);
  const line = await parseLine(command, commonFlags, args.slice(1));
  if (line.flags['help'] === true) {
    const { helpOf } = await import('./help.ts');
    write(1, helpOf(command, commonFlags));
    return 0;
  }
  if (line.flags['version'] === true) {
    write(1, `${version}\n`);
    return 0;
  }
  const call: Call = {
    positionals: line.positionals,
    flags: line.flags,
    format: formatOf(command, line.flags['format']),
    output: processOutput({
      color: (line.flags['color'] as 'auto' | 'always' | 'never' | undefined) ?? 'auto',
      quiet: line.flags['quiet'] === true,
    }),
    knowledge: async () => (await import('./knowledge.ts')).knowledgeOf(line.flags['knowledge'] as string | undefined),
  };
  const run = await command.load();
  return run(call);
}

async function commandNamed(name: string): Promise<Command> {
  const command = commands.find((each) => each.name === name);
  if (command !== undefined) return command;
  if (name.startsWith('-'))
    throw usageError('unknown-flag', `the first word is the command, not ${name}`, 'culprit --help lists the commands');
  const { nearest } = await import('@culprit/core/text/nearest');
  const guess = nearest(
    name,
    commands.map((each) => each.name),
  );
  throw usageError(
    'unknown-command',
    `there is no command ${name}`,
    guess.length === 0 ? 'culprit --help lists the commands' : `did you mean culprit ${guess.join(' or culprit ')}?`,
  );
}

function formatOf(command: Command, wanted: FlagValue | undefined): string {
  const first = command.formats[0] ?? 'text';
  if (typeof wanted !== 'string') return first;
  if (command.formats.includes(wanted)) return wanted;
  throw usageError(
    'unknown-format',
    `${command.name} cannot print ${wanted}`,
    `formats: ${command.formats.join(', ')}`,
  );
}

function report(error: unknown): number {
  if (error instanceof CulpritError) {
    write(2, errorLines(error.message, error.hint));
    return error.exit;
  }
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'EPIPE') return 0;
  write(
    2,
    `culprit: it failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n  this is a defect of culprit, not of your GPU stack\n`,
  );
  return 4;
}

process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
// Everything was written before this; open handles of an unfinished input must not hold the process.
void main(process.argv.slice(2))
  .catch(report)
  .then((status) => {
    process.exitCode = status;
  });
