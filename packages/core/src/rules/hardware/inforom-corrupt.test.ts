import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { inforomCorrupt } from './inforom-corrupt.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely on the status of NVML', 'fault likely', 'nvmlDeviceGetInforomVersion: NVML_ERROR_CORRUPTED_INFOROM'],
  ['fault likely on the warning', 'fault likely', 'WARNING: infoROM is corrupted at gpu 0000:67:00.0'],
  ['silent without it', 'silent', '        Image Version                     : G506.0200.00.05'],
];

describe('hardware/inforom-corrupt', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(inforomCorrupt, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
