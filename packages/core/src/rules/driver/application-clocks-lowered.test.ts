import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { applicationClocksLowered } from './application-clocks-lowered.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely with slow clocks',
    'fault likely',
    '$ nvidia-smi --query-gpu=index,clocks.sm,clocks.max.sm,clocks_event_reasons.active --format=csv,noheader\n0, 900 MHz, 1980 MHz, 0x0000000000000002',
  ],
  [
    'fault proved against the default',
    'fault proved',
    '$ nvidia-smi --query-gpu=index,clocks.applications.graphics,clocks.default_applications.graphics --format=csv,noheader\n0, 735 MHz, 1410 MHz',
  ],
  [
    'cleared on another reason',
    'cleared',
    '$ nvidia-smi --query-gpu=index,clocks_event_reasons.active --format=csv,noheader\n0, 0x0000000000000004',
  ],
];

describe('driver/application-clocks-lowered', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(applicationClocksLowered, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
