import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { persistenceDaemonOff } from './persistence-daemon-off.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the first call is slow',
    'fault proved',
    'first CUDA call took 9.4 s\n    Persistence Mode                      : Disabled',
  ],
  [
    'fault likely with nvidia-smi’s warning',
    'fault likely',
    'Warning: persistence mode is disabled on device 00000000:3B:00.0.\nCUDA context creation took 7.9 s',
  ],
  ['silent when it is off and nothing is slow', 'silent', '    Persistence Mode                      : Disabled'],
  [
    'silent when something else is slow',
    'silent',
    '$ time python train.py\nreal    0m41.203s\n    Persistence Mode                      : Disabled',
  ],
];

describe('driver/persistence-daemon-off', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(persistenceDaemonOff, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
