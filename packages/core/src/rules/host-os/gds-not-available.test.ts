import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gdsNotAvailable } from './gds-not-available.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the log of cuFile',
    'fault likely',
    '03-02-2025 11:02:14:220 [pid=3110 tid=3110] NOTICE  cufio-drv:727 running in compatible mode',
  ],
  [
    'fault likely on the error of cuFile',
    'fault likely',
    'cuFileDriverOpen error: nvidia-fs driver is not loaded (5001)',
  ],
  ['silent without it', 'silent', 'cuFileRead 1048576 bytes'],
];

describe('host-os/gds-not-available', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gdsNotAvailable, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
