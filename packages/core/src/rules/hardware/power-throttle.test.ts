import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { powerThrottle } from './power-throttle.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely with low clocks',
    'fault likely',
    '$ nvidia-smi --query-gpu=index,clocks.sm,clocks.max.sm,power.draw,power.limit,clocks_event_reasons.active --format=csv,noheader\n0, 735 MHz, 1980 MHz, 399.10 W, 400.00 W, 0x0000000000000004',
  ],
  ['fault likely on DCGM', 'fault likely', 'Detected clocks event due to power violation in GPU 2.'],
  [
    'cleared when idle',
    'cleared',
    '$ nvidia-smi --query-gpu=index,clocks_event_reasons.active --format=csv,noheader\n0, 0x0000000000000001',
  ],
];

describe('hardware/power-throttle', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(powerThrottle, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
