import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { peermemModuleNotLoaded } from './peermem-module-not-loaded.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when it does not load',
    'fault likely',
    "modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument",
  ],
  [
    'cleared when GPUDirect RDMA is on',
    'cleared',
    "n1:71:71 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'",
  ],
  [
    'fault proved when ranks send over the adapter without it',
    'fault proved',
    "n1:71:71 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\nn1:71:71 [0] NCCL INFO Channel 00/0 : 1[0] -> 9[0] [send] via NET/IB/0\n$ lsmod | grep -c peermem\n0",
  ],
  ['silent without RDMA', 'silent', 'hello'],
];

describe('driver/peermem-module-not-loaded', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(peermemModuleNotLoaded, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
