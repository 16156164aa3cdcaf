import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclStragglerRank } from './nccl-straggler-rank.ts';

const head =
  'Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name';

/** The time line of a rank that computes for some µs in each step, and meets the others when the last has come. */
function rank(step: number, computes: readonly number[], steps = 8, hidden = false): string {
  const row = (start: number, takes: number, stream: number, name: string): string =>
    `${start * 1000},${takes * 1000},${start},1024,1,1,256,1,1,64,0.000,0.000,,,,,NVIDIA H100 80GB HBM3 (0),1,${stream},"${name}"`;
  const rows = Array.from({ length: steps }, (_, at) => {
    const start = 100 + at * (step + 40);
    const compute = computes[at % computes.length]!;
    const reduce = hidden ? start + 100 : start + compute + 2;
    return [
      row(start, compute, 7, 'sm90_xmma_gemm_bf16bf16'),
      row(reduce, hidden ? compute - 200 : start + step - reduce, 20, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'),
    ];
  });
  return [head, ...rows.flat()].join('\n');
}

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the second of two ranks computes twice as long',
    'fault',
    [rank(1000, [400, 410]), rank(1000, [940])].join('\n'),
  ],
  [
    'fault where the third of four ranks is late each time',
    'fault',
    [rank(900, [300]), rank(900, [310]), rank(900, [860]), rank(900, [305])].join('\n'),
  ],
  [
    'silent where another rank is late each time',
    'silent',
    [rank(1000, [400, 900]), rank(1000, [900, 400])].join('\n'),
  ],
  [
    'silent where all ranks arrive together and the exchange is long',
    'silent',
    [rank(1000, [500]), rank(1000, [500])].join('\n'),
  ],
  [
    'cleared where communication lies under computation',
    'cleared',
    [rank(1000, [1000], 8, true), rank(1000, [1000], 8, true)].join('\n'),
  ],
  ['unknown where there are only two steps', 'unknown', [rank(1000, [400], 2), rank(1000, [940], 2)].join('\n')],
];

describe('application/nccl-straggler-rank', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(ncclStragglerRank, text).kind).toBe(expected);
  });
});
