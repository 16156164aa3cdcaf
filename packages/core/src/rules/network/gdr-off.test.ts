import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gdrOff } from './gdr-off.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when a variable forbids it',
    'fault proved',
    'NCCL_NET_GDR_LEVEL=LOC\nnode:1:1 [0] NCCL INFO Channel 00/0 : 15[7] -> 0[0] [receive] via NET/IB/0',
  ],
  [
    'fault likely when it is disabled for the adapter',
    'fault likely',
    "node:1:1 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\nnode:1:1 [0] NCCL INFO Channel 00/0 : 15[7] -> 0[0] [receive] via NET/IB/0",
  ],
  ['silent over sockets', 'silent', 'node:1:1 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0'],
  [
    'one node without GPUDirect RDMA',
    'fault likely',
    'a:11:12 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/1/GDRDMA\nb:21:22 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [send] via NET/IB/1',
  ],
  [
    'near miss: another adapter that GPUDirect does not serve, on the same node',
    'fault possible',
    'a:11:12 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/1/GDRDMA\na:11:12 [0] NCCL INFO Channel 01/0 : 0[0] -> 8[0] [send] via NET/IB/4',
  ],
];

describe('network/gdr-off', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gdrOff, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
