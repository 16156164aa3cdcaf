import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { fabricManagerNotRunning } from './fabric-manager-not-running.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely on 802 alone', 'fault likely', 'cuInit failed: CUDA_ERROR_SYSTEM_NOT_READY'],
  ['silent on another service', 'silent', '$ systemctl is-active docker\nactive'],
];

describe('fabric/fabric-manager-not-running', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(fabricManagerNotRunning, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
