import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { mtuMismatch } from './mtu-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely on a hop', 'fault likely', 'From 10.8.0.1 icmp_seq=1 Frag needed and DF set (mtu = 1450)'],
  ['fault likely on an overlay', 'fault likely', 'ping: local error: message too long, mtu=1450'],
  ['silent on a plain ping', 'silent', '64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=0.2 ms'],
];

describe('network/mtu-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(mtuMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
