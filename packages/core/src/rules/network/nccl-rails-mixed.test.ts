import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclRailsMixed } from './nccl-rails-mixed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on the warning of NCCL',
    'fault proved',
    'NCCL WARN Detected mixed local Net device counts across ranks (min 1, max 2). Set NCCL_IGNORE_NET_MISMATCH=1 to continue',
  ],
  [
    'fault proved on two lists',
    'fault proved',
    'gpu-01:52:52 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_2:1/RoCE [2]mlx5_3:1/RoCE [RO]; OOB eth0:10.0.4.12<0>\ngpu-02:77:77 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_2:1/RoCE [RO]; OOB eth0:10.0.4.13<0>',
  ],
  ['silent over sockets', 'silent', 'NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>'],
];

describe('network/nccl-rails-mixed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclRailsMixed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
