import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { fabricCongested } from './fabric-congested.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'possible for ticks of waiting alone',
    'fault possible',
    'node_infiniband_port_transmit_wait_total{device="mlx5_0",port="1"} 1000\nnode_infiniband_port_transmit_wait_total{device="mlx5_0",port="1"} 99000000',
  ],
  ['silent for one reading', 'silent', '$ ethtool -S ens1 | grep pause\n     rx_prio3_pause: 1000'],
  [
    'silent for a handful of marks',
    'silent',
    'node_infiniband_port_transmit_wait_total{device="mlx5_0",port="1"} 1000\nnode_infiniband_port_transmit_wait_total{device="mlx5_0",port="1"} 1100',
  ],
];

describe('network/fabric-congested', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(fabricCongested, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
