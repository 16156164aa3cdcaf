import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { migChangeRefused } from './mig-change-refused.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a label that says failed, with clients on the GPUs',
    'fault proved',
    "  GPU 00000000:41:00.0: In use by another client\nChanging the 'nvidia.com/mig.config.state' node label to 'failed'",
  ],
  [
    'mode that could not be asserted, without a reset',
    'fault proved',
    'Resetting GPU 00000000:06:00.0 is not supported.\nlevel=fatal msg="Error applying MIG mode: error resetting all GPUs: exit status 3"',
  ],
  [
    'near miss: it failed for another reason',
    'fault possible',
    'FATA[0001] Error applying MIG configuration with hooks: error initializing NVML: ERROR_LIBRARY_NOT_FOUND',
  ],
  [
    'near miss: a reset without MIG',
    'unknown',
    'The following GPUs could not be reset:\n  GPU 00000000:3B:00.0: In use by another client',
  ],
];

describe('orchestrator/mig-change-refused', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(migChangeRefused, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
