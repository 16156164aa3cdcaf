import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { migModePendingReset } from './mig-mode-pending-reset.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the warning',
    'fault likely',
    'Warning: MIG mode is in pending enable state for GPU 00000000:3B:00.0:In use by another client',
  ],
  [
    'fault proved in the long report',
    'fault proved',
    'GPU 00000000:3B:00.0\n    MIG Mode\n        Current                           : Disabled\n        Pending                           : Enabled',
  ],
  [
    'cleared when both are off',
    'cleared',
    'GPU 00000000:3B:00.0\n    MIG Mode\n        Current                           : Disabled\n        Pending                           : Disabled',
  ],
  [
    'silent when GPUs have no MIG',
    'silent',
    'GPU 00000000:3B:00.0\n    MIG Mode\n        Current                           : N/A\n        Pending                           : N/A',
  ],
];

describe('driver/mig-mode-pending-reset', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(migModePendingReset, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
