import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { powerLimitLowered } from './power-limit-lowered.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the draw is at the limit',
    'fault proved',
    '$ nvidia-smi --query-gpu=index,power.draw,power.limit,power.default_limit --format=csv,noheader\n0, 298.10 W, 300.00 W, 400.00 W',
  ],
  [
    'fault likely when one GPU differs',
    'fault likely',
    '$ nvidia-smi --query-gpu=index,power.draw,power.limit,power.default_limit --format=csv,noheader\n0, 70.10 W, 300.00 W, 400.00 W\n1, 70.10 W, 400.00 W, 400.00 W',
  ],
  [
    'cleared at the default',
    'cleared',
    '$ nvidia-smi --query-gpu=index,power.draw,power.limit,power.default_limit --format=csv,noheader\n0, 398.10 W, 400.00 W, 400.00 W',
  ],
];

describe('hardware/power-limit-lowered', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(powerLimitLowered, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
