import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostnameResolvesToLoopback } from './hostname-resolves-to-loopback.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the address',
    'fault likely',
    'RuntimeError: Gloo connectFullMesh failed with [gloo/transport/tcp/pair.cc:144] connect [127.0.1.1]:41520: Connection refused',
  ],
  [
    'fault likely on the message of Gloo',
    'fault likely',
    'RuntimeError: Unable to resolve hostname to a (local) address',
  ],
  ['silent on /etc/hosts alone', 'silent', '$ cat /etc/hosts\n127.0.0.1 localhost\n127.0.1.1 node7'],
];

describe('network/hostname-resolves-to-loopback', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostnameResolvesToLoopback, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
