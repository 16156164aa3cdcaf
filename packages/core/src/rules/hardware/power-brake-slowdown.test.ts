import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { powerBrakeSlowdown } from './power-brake-slowdown.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in the bitmask',
    'fault proved',
    '$ nvidia-smi --query-gpu=index,clocks_event_reasons.active --format=csv,noheader\n0, 0x0000000000000088',
  ],
  [
    'fault proved with the old name',
    'fault proved',
    '==============NVSMI LOG==============\n\nDriver Version                            : 550.144.03\nAttached GPUs                             : 1\nGPU 00000000:3B:00.0\n    Clocks Throttle Reasons\n        HW Slowdown                       : Active\n            HW Power Brake Slowdown       : Active',
  ],
  [
    'cleared on the power cap',
    'cleared',
    '$ nvidia-smi --query-gpu=index,clocks_event_reasons.active --format=csv,noheader\n0, 0x0000000000000004',
  ],
];

describe('hardware/power-brake-slowdown', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(powerBrakeSlowdown, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
