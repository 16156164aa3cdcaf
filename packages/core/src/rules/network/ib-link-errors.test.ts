import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ibLinkErrors } from './ib-link-errors.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved where two counters of one port grow',
    'fault proved',
    '$ grep . /sys/class/infiniband/mlx5_3/ports/1/counters/*\n/sys/class/infiniband/mlx5_3/ports/1/counters/link_downed:2\n/sys/class/infiniband/mlx5_3/ports/1/counters/port_rcv_errors:10\n$ grep . /sys/class/infiniband/mlx5_3/ports/1/counters/*\n/sys/class/infiniband/mlx5_3/ports/1/counters/link_downed:5\n/sys/class/infiniband/mlx5_3/ports/1/counters/port_rcv_errors:990',
  ],
  [
    'likely from two scrapes of node_exporter',
    'fault likely',
    'node_infiniband_symbol_error_total{device="mlx5_0",port="1"} 12 1741679558000\nnode_infiniband_symbol_error_total{device="mlx5_0",port="1"} 98112 1741683158000',
  ],
  [
    'likely where the adapter itself says so',
    'fault likely',
    '$ mlxlink -d mlx5_2\nOperational Info\n----------------\nState                              : Active\nPhysical state                     : LinkUp\nSpeed                              : IB-NDR\nWidth                              : 4x\n\nTroubleshooting Info\n--------------------\nStatus Opcode                      : 15\nGroup Opcode                       : PHY FW\nRecommendation                     : Bad signal integrity',
  ],
  [
    'possible for a few symbols in an hour',
    'fault possible',
    '$ date\nTue Mar 11 07:52:38 UTC 2025\n$ cat /sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error\n10\n$ date\nTue Mar 11 08:52:38 UTC 2025\n$ cat /sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error\n31',
  ],
  [
    'cleared after a reset of the counters in between',
    'cleared',
    'node_infiniband_link_downed_total{device="mlx5_0",port="1"} 9\nnode_infiniband_link_downed_total{device="mlx5_0",port="1"} 0\nnode_infiniband_link_downed_total{device="mlx5_0",port="1"} 0',
  ],
  ['silent without counters', 'silent', 'RuntimeError: CUDA error: out of memory'],
];

describe('network/ib-link-errors', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ibLinkErrors, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
