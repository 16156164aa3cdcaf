import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclTooOldForPeermemModule } from './nccl-too-old-for-peermem-module.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent when GPUDirect RDMA is on',
    'silent',
    "NCCL version 2.21.5+cuda12.4\nn1:71:71 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'\n$ lsmod | grep peermem\nnvidia_peermem         16384  0",
  ],
];

describe('nccl/nccl-too-old-for-peermem-module', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclTooOldForPeermemModule, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
