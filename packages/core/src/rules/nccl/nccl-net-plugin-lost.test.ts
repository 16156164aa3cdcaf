import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclNetPluginLost } from './nccl-net-plugin-lost.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with a port that is active',
    'fault proved',
    'node:1:1 [0] NCCL INFO Failed to open libibverbs.so[.1]\nnode:1:1 [0] NCCL INFO Using network Socket\nFI_PROVIDER=efa',
  ],
  [
    'fault likely when a named plugin is missing',
    'fault likely',
    'node:1:1 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net-aws-ofi-nccl.so\nnode:1:1 [0] NCCL INFO Using network Socket',
  ],
  [
    'cleared on IB',
    'cleared',
    'NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation\nNCCL INFO Using network IB',
  ],
  [
    'the plugin took TCP on a machine that has EFA',
    'fault likely',
    '$ ec2-metadata -t\ninstance-type: p5.48xlarge\nh:1:2 [0] NCCL INFO NET/OFI Selected Provider is tcp;ofi_rxm (found 2 nics)\nh:1:2 [0] NCCL INFO Using network AWS Libfabric',
  ],
  [
    'the plugin finds no provider, on a machine that has EFA',
    'fault proved',
    'p4d.24xlarge\nh:1:2 [0] NCCL INFO NET/OFI aws-ofi-nccl initialization failed\nh:1:2 [0] NCCL INFO Using network Socket',
  ],
  [
    'an adapter cannot be opened, and TCP is used',
    'fault likely',
    'n:5:6 [1] transport/net_ib.cc:201 NCCL WARN NET/IB : Unable to open device mlx5_0\nn:5:6 [1] NCCL INFO Using network Socket',
  ],
  [
    'near miss: another adapter is used',
    'cleared',
    'n:5:6 [1] transport/net_ib.cc:201 NCCL WARN NET/IB : Unable to open device mlx5_9\nn:5:6 [1] NCCL INFO Using network IB',
  ],
  [
    'near miss: the plugin took EFA',
    'silent',
    'h:1:2 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)',
  ],
];

describe('nccl/nccl-net-plugin-lost', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclNetPluginLost, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
