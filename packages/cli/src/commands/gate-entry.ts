import { processOutput } from '../output.ts';
import { parseLine } from '../parse-line.ts';
import { commonFlags } from './commands.ts';
import { deadlineVariable, gateCommand } from './gate-flags.ts';
import { failureText, watchGate } from './gate-watch.ts';

/** True where a command line is one of the gate. */
export function isGate(args: readonly string[]): boolean {
  return args[0] === 'check' && args.includes('--gate') && !args.includes('--help') && !args.includes('-h');
}

/** Runs a gate: the watching process, or the one that it watches. Ends the process. */
export async function gate(args: readonly string[]): Promise<never> {
  if (process.env[deadlineVariable] === undefined) {
    watchGate(args);
    return new Promise<never>(() => {});
  }
  const output = processOutput({ color: 'never', quiet: true });
  let format = 'line';
  let status: number;
  try {
    const { flags, positionals } = await parseLine(gateCommand, commonFlags, args.slice(1));
    const wanted = flags['format'];
    if (typeof wanted === 'string' && !gateCommand.formats.includes(wanted))
      throw new Error(`there is no format ${wanted}`);
    format = (wanted as string | undefined) ?? format;
    const run = await gateCommand.load();
    status = await run({
      positionals,
      flags,
      format,
      output,
      knowledge: async () => (await import('../knowledge.ts')).knowledgeOf(flags['knowledge'] as string | undefined),
    });
  } catch (error) {
    output.data(failureText(error instanceof Error ? error.message : String(error), format));
    status = format === 'npd' ? 2 : 0;
  }
  // What still hangs is not waited for.
  process.exit(status);
}
