// This machine, and a process of it.
import type { Probed, Transport } from './transport.ts';
import { failureOf } from './failures.ts';
import { failed, probedOf } from './frame.ts';
import { processNumber } from './names.ts';
import { run } from './run.ts';

/** This machine: the probe on the standard input of `sh`. */
export function local(subject = 'this machine', own: readonly string[] = []): Transport {
  return { subject, probe: (script, args, limitMs) => probeHere(script, [...own, ...args], limitMs) };
}

/** A process of this machine, its container and its files, seen from outside. */
export function processTransport(pid: string): Transport {
  const number = processNumber(pid);
  return local(`process ${number}`, ['--pid', number]);
}

/** Runs the probe here. */
export async function probeHere(script: string, args: readonly string[], limitMs: number): Promise<Probed> {
  if (process.platform === 'win32')
    return failed('this machine has no POSIX shell; probe the Linux side (WSL, a container, ssh)');
  const ran = await run({ argv: ['sh', '-s', '--', ...args], input: script, limitMs });
  return probedOf(ran, (each) => failureOf('shell', 'sh', each, limitMs));
}
