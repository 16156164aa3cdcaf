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
];

describe('network/gdr-off', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gdrOff, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
