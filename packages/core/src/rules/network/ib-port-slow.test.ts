import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ibPortSlow } from './ib-port-slow.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'possible for two lanes, as some adapters have',
    'fault possible',
    '/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)\n/sys/class/infiniband/mlx5_1/ports/1/rate:200 Gb/sec (2X NDR)',
  ],
  [
    'cleared for a port without a link',
    'cleared',
    '/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)\n/sys/class/infiniband/mlx5_1/ports/1/rate:400 Gb/sec (4X NDR)\n/sys/class/infiniband/mlx5_2/ports/1/rate:10 Gb/sec (4X SDR)',
  ],
  [
    'likely among adapters of one kind',
    'fault likely',
    "CA 'mlx5_0'\n	CA type: MT4129\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 400\n		Link layer: InfiniBand\nCA 'mlx5_1'\n	CA type: MT4129\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 400\n		Link layer: InfiniBand\nCA 'mlx5_2'\n	CA type: MT4129\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 200\n		Link layer: InfiniBand\nCA 'mlx5_3'\n	CA type: MT4129\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 400\n		Link layer: InfiniBand\n",
  ],
  [
    'cleared for slower storage adapters of another kind',
    'cleared',
    "CA 'mlx5_0'\n	CA type: MT4129\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 400\n		Link layer: InfiniBand\nCA 'mlx5_1'\n	CA type: MT4129\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 400\n		Link layer: InfiniBand\nCA 'mlx5_2'\n	CA type: MT4129\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 400\n		Link layer: InfiniBand\nCA 'mlx5_3'\n	CA type: MT4125\n	Number of ports: 1\n	Port 1:\n		State: Active\n		Physical state: LinkUp\n		Rate: 100\n		Link layer: InfiniBand\n",
  ],
  [
    'likely where a higher speed is enabled',
    'fault likely',
    '$ mlxlink -d mlx5_2\nOperational Info\n----------------\nState                              : Active\nPhysical state                     : LinkUp\nSpeed                              : IB-HDR\nWidth                              : 4x\n\nSupported Info\n--------------\nEnabled Link Speed                 : 0x000000f5 (NDR,HDR,EDR,FDR,SDR)\nSupported Cable Speed              : 0x000000f5 (NDR,HDR,EDR,FDR,SDR)',
  ],
  [
    'possible for a port that stands still',
    'fault possible',
    'node_infiniband_port_data_transmitted_bytes_total{device="mlx5_0",port="1"} 1000000000\nnode_infiniband_port_data_transmitted_bytes_total{device="mlx5_1",port="1"} 1000000000\nnode_infiniband_port_data_transmitted_bytes_total{device="mlx5_2",port="1"} 1000000000\nnode_infiniband_port_data_transmitted_bytes_total{device="mlx5_3",port="1"} 5\nnode_infiniband_port_data_transmitted_bytes_total{device="mlx5_0",port="1"} 10000000000\nnode_infiniband_port_data_transmitted_bytes_total{device="mlx5_1",port="1"} 10000000000\nnode_infiniband_port_data_transmitted_bytes_total{device="mlx5_2",port="1"} 10000000000\nnode_infiniband_port_data_transmitted_bytes_total{device="mlx5_3",port="1"} 5\n',
  ],
  ['silent without a rate', 'silent', 'RuntimeError: NCCL error'],
];

describe('network/ib-port-slow', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ibPortSlow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
