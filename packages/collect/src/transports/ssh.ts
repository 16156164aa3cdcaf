// Hosts over the user's own ssh: its configuration, jump hosts, agent and keys.
import type { Host } from './names.ts';
import type { Transport } from './transport.ts';
import { failureOf } from './failures.ts';
import { failed, probedOf } from './frame.ts';
import { hostOf } from './names.ts';
import { run } from './run.ts';

/** What the shell of any login understands as the word itself. */
const wordOfAnyShell = /^[A-Za-z0-9_./:,@+-]{1,1024}$/;

/**
 * A host. Nothing is asked for on the way: no password, no unknown host key. A shared connection is used where the user
 * keeps one, none is opened.
 * @throws TargetError where it is no name of a host
 */
export function sshHost(text: string): Transport {
  const host = hostOf(text);
  return {
    subject: text.replace(/^ssh:\/\//, '').replace(/\/$/, ''),
    async probe(script, args, limitMs) {
      const odd = args.find((arg) => !wordOfAnyShell.test(arg));
      if (odd !== undefined)
        return failed(
          `an argument of the probe cannot be sent through the login shell of a host: ${JSON.stringify(odd)}`,
        );
      const ran = await run({
        argv: ['ssh', ...options(host, limitMs), '--', host.name, 'sh', '-s', '--', ...args],
        input: script,
        limitMs,
      });
      return probedOf(ran, (each) => failureOf('ssh', 'ssh', each, limitMs));
    },
  };
}

function options(host: Host, limitMs: number): readonly string[] {
  const connect = Math.max(1, Math.min(10, Math.floor(limitMs / 2000)));
  return [
    '-T',
    ...['BatchMode=yes', `ConnectTimeout=${connect}`, 'ControlMaster=no', 'ForwardAgent=no', 'ForwardX11=no'].flatMap(
      (option) => ['-o', option],
    ),
    ...['ClearAllForwardings=yes', 'PermitLocalCommand=no', 'RequestTTY=no', 'ServerAliveInterval=5'].flatMap(
      (option) => ['-o', option],
    ),
    ...(host.user === null ? [] : ['-l', host.user]),
    ...(host.port === null ? [] : ['-p', host.port]),
  ];
}
