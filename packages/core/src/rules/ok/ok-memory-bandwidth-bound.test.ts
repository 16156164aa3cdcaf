import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okMemoryBandwidthBound } from './ok-memory-bandwidth-bound.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared at 85 percent',
    'cleared',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    DRAM Throughput                           %        85.0',
  ],
  [
    'cleared with few warps',
    'cleared',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    DRAM Throughput                           %        90.0\n    Theoretical Occupancy                     %           50\n    Achieved Occupancy                        %        30.0',
  ],
  [
    'silent when half is fetched for nothing',
    'silent',
    '  walk(const int *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n    DRAM Throughput                           %        90.0\n    OPT   This kernel has uncoalesced global accesses resulting in a total of 29360128 excessive sectors (50% of the total\n          58720256 sectors).',
  ],
];

describe('ok/ok-memory-bandwidth-bound', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okMemoryBandwidthBound, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
