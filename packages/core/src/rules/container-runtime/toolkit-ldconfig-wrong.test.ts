import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { toolkitLdconfigWrong } from './toolkit-ldconfig-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when ldconfig fails',
    'fault likely',
    'nvidia-container-cli: ldcache error: process /sbin/ldconfig.real terminated with signal: 9: unknown',
  ],
  ['silent elsewhere', 'silent', 'nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown'],
];

describe('container-runtime/toolkit-ldconfig-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(toolkitLdconfigWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
