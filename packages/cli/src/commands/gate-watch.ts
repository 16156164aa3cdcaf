// The gate keeps its time whatever happens. One process, which does nothing but wait, prints the answer of a second one that
// does all the work: reading files (of a dead file server), running the probe (in a sick driver), judging. When that one
// is late, dies or answers nonsense, a line says so and the exit status is 0: a defect of the tool takes no node out.
import { spawn } from 'node:child_process';
import { failureLine } from '@culprit/core/report/gate-line';
import { longestMessage } from '@culprit/core/report/npd-report';
import { write } from '../output.ts';
import { budgetOf, deadlineVariable } from './gate-flags.ts';

/** Kept back for the end of both processes. */
const reserve = 60;
const mostOutput = 1 << 20;

/**
 * Runs `culprit check --gate …` under guard, then ends this process.
 * @param args everything behind `culprit`
 */
export function watchGate(args: readonly string[]): void {
  const format = valueOf(args, 'format', 'f') ?? 'line';
  const budget = budgetOf(valueOf(args, 'budget')) ?? 1;
  const started = process.uptime() * 1000;
  const left = Math.max(50, budget * 1000 - started - reserve);
  const limit = Date.now() + left;
  let output = '';
  let done = false;

  // Whatever goes wrong in this process too: an exit status of 1 would take the node out.
  process.on('uncaughtException', (error) => {
    try {
      write(1, failureText(error.message, format));
    } catch {
      // nobody is there to read it
    }
    process.exit(format === 'npd' ? 2 : 0);
  });

  // The program's own words: a single file is the program, else Node is given the script again.
  const script = process.argv[1] ?? '';
  const own = script.startsWith('/$bunfs/') || script.startsWith('B:/') ? [] : [...process.execArgv, script];
  const child = spawn(process.execPath, [...own, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own: what hangs is killed with all that it started. Nothing of it holds this process's output open.
    detached: true,
    env: {
      ...process.env,
      PATH: process.env['PATH'] ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      [deadlineVariable]: String(Math.round(limit - reserve)),
    },
  });
  const end = (text: string, status: number): void => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    try {
      write(1, text);
    } catch {
      // A full disk, say: the exit status is the answer then, as where the reader has gone.
    }
    if (child.pid !== undefined) {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // it has ended
      }
    }
    process.exit(status);
  };
  const fail = (why: string): void => end(failureText(why, format), format === 'npd' ? 2 : 0);
  const timer = setTimeout(() => fail(`not done within ${budget} s; nothing is enforced`), left);
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (part: string) => {
    if (output.length < mostOutput) output += part;
  });
  child.on('error', (error) => fail(`it could not start: ${error.message}`));
  child.on('close', (status, signal) => {
    if (status === null) fail(`it was ended by ${signal ?? 'a signal'}`);
    else if (![0, 1, 2].includes(status) || (status === 2 && format !== 'npd')) fail(`it ended with status ${status}`);
    else if (output === '') fail('it said nothing');
    else end(output, status);
  });
}

/** A failure of the tool in the words of a format. */
export function failureText(why: string, format: string): string {
  if (format === 'npd') return `${failureLine(why, longestMessage)}\n`;
  return `${format === 'prometheus' ? '# ' : ''}${failureLine(why)}\n`;
}

function valueOf(args: readonly string[], name: string, short?: string): string | undefined {
  const long = `--${name}`;
  for (const [at, arg] of args.entries()) {
    if (arg === long || (short !== undefined && arg === `-${short}`)) return args[at + 1];
    if (arg.startsWith(`${long}=`)) return arg.slice(long.length + 1);
  }
  return undefined;
}
