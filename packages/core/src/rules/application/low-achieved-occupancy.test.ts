import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { lowAchievedOccupancy } from './low-achieved-occupancy.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when the advice has the numbers',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    OPT   The difference between calculated theoretical (100.0%) and measured achieved occupancy (34.2%) can be the result of warp scheduling overheads',
  ],
  [
    'fault when the grid is too small',
    'fault proved',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    Waves Per SM                                            0.24\n    Theoretical Occupancy                     %           75\n    Achieved Occupancy                        %        18.9',
  ],
  [
    'cleared when the memory is used up anyway',
    'cleared',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    DRAM Throughput                           %        92.1\n    Theoretical Occupancy                     %          100\n    Achieved Occupancy                        %        44.0',
  ],
];

describe('application/low-achieved-occupancy', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(lowAchievedOccupancy, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
