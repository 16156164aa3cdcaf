import { describe, expect, it } from 'vitest';
import { counterRows } from '../knowledge/port-counters.rows.ts';
import { counterNamed } from '../knowledge/port-counters.ts';
import { valuesOf } from './testing.ts';

const growth = (text: string): readonly string[] =>
  valuesOf(text, 'net.counter-growth').map(
    (each) => `${each.device} ${each.port ?? '-'} ${each.counter} ${each.from} ${each.to} ${each.seconds ?? '?'}`,
  );

const at = (time: string): string => `$ date\nTue Mar 11 ${time} UTC 2025\n`;
type Row = readonly [string, string, readonly string[]];
const rows: readonly Row[] = [
  [
    'sysfs by grep',
    `${at('07:00:00')}$ grep -r . /sys/class/infiniband/mlx5_0/ports/1/counters\n/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:12\n${at('08:00:00')}$ grep -r . /sys/class/infiniband/mlx5_0/ports/1/counters\n/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:90`,
    ['mlx5_0 1 symbol_error 12 90 3600'],
  ],
  [
    'sysfs by cat, one value a line',
    '$ cat /sys/class/infiniband/mlx5_2/ports/1/counters/link_downed /sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence\n1\n5\n$ cat /sys/class/infiniband/mlx5_2/ports/1/counters/link_downed /sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence\n2\n8',
    ['mlx5_2 1 link_downed 1 2 ?', 'mlx5_2 1 out_of_sequence 5 8 ?'],
  ],
  [
    'sysfs by head',
    '==> /sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors <==\n4\n\n==> /sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors <==\n44',
    ['mlx5_0 1 port_rcv_errors 4 44 ?'],
  ],
  [
    'perfquery',
    '$ perfquery -x -C mlx5_3 -P 1\n# Port extended counters: Lid 1719 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)\nPortSelect:......................1\nSymbolErrorCounter:..............5\n$ perfquery -x -C mlx5_3 -P 1\n# Port extended counters: Lid 1719 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)\nPortSelect:......................1\nSymbolErrorCounter:..............7',
    ['mlx5_3 1 symbol_error 5 7 ?'],
  ],
  [
    'perfquery without an adapter',
    '# Port counters: Lid 12 port 1\nLinkDownedCounter:...............1\n# Port counters: Lid 12 port 1\nLinkDownedCounter:...............1',
    ['lid 12 1 link_downed 1 1 ?'],
  ],
  [
    'rdma statistic, on one line and as a table',
    'link mlx5_0/1 rx_write_requests 0 out_of_buffer 3 packet_seq_err 7\nlink mlx5_0/1\n\trx_write_requests 0\n\tout_of_buffer 9\n\tpacket_seq_err 7',
    ['mlx5_0 1 packet_seq_err 7 7 ?', 'mlx5_0 1 out_of_buffer 3 9 ?'],
  ],
  [
    'ethtool',
    '$ ethtool -S ens1f0np0\nNIC statistics:\n     rx_packets: 1\n     rx_prio3_pause: 12\n$ ethtool -S ens1f0np0 | grep pause\n     rx_prio3_pause: 20',
    ['ens1f0np0 - rx_prio3_pause 12 20 ?'],
  ],
  [
    'node_exporter with its times',
    'node_infiniband_link_downed_total{device="mlx5_0",port="1"} 1 1741679558000\nnode_infiniband_link_downed_total{device="mlx5_0",port="1"} 3 1741679618000',
    ['mlx5_0 1 link_downed 1 3 60'],
  ],
  [
    'a reset between the readings: only what came after it',
    'node_infiniband_symbol_error_total{device="mlx5_0",port="1"} 900\nnode_infiniband_symbol_error_total{device="mlx5_0",port="1"} 2\nnode_infiniband_symbol_error_total{device="mlx5_0",port="1"} 5',
    ['mlx5_0 1 symbol_error 2 5 ?'],
  ],
  [
    'a reset before the last reading: nothing is known',
    'node_infiniband_symbol_error_total{device="mlx5_0",port="1"} 900\nnode_infiniband_symbol_error_total{device="mlx5_0",port="1"} 2',
    [],
  ],
  [
    'ports of two nodes are not one',
    'node_infiniband_symbol_error_total{device="mlx5_0",port="1",instance="n1:9100"} 900\nnode_infiniband_symbol_error_total{device="mlx5_0",port="1",instance="n2:9100"} 901',
    [],
  ],
];

describe('counters of the fabric', () => {
  it.each(rows)('%s', (_, text, expected) => {
    expect(growth(text)).toEqual(expected);
  });

  it('read once are no growth', () => {
    expect(valuesOf('link mlx5_2/1 rx_write_requests 0 packet_seq_err 7', 'net.counter')).toMatchObject([
      { device: 'mlx5_2', port: 1, counter: 'packet_seq_err', value: 7 },
    ]);
  });

  it('have one name each', () => {
    const names = counterRows.flatMap((row) => [row.name, ...row.others]);
    expect(new Set(names).size).toBe(names.length);
    expect(counterNamed('rx_prio5_pause_duration')).toEqual({ name: 'rx_prio5_pause_duration', kind: 'pause' });
    expect(counterNamed('rx_bytes')).toBeNull();
  });
});

describe('links of the fabric', () => {
  it('have their speed from mlxlink, sysfs, ibstat and node_exporter', () => {
    const text = [
      '$ mlxlink -d mlx5_2',
      'Operational Info',
      '----------------',
      'State                              : Active',
      'Speed                              : IB-HDR',
      'Width                              : 2x',
      'Enabled Link Speed (Ext.)          : 0x000000f5 (NDR,HDR,EDR,SDR)',
      'Recommendation                     : No issue was observed',
      '$ grep . /sys/class/infiniband/mlx5_*/ports/1/rate',
      '/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)',
      'node_infiniband_rate_bytes_per_second{device="mlx5_9",port="1"} 2.5e+10',
    ].join('\n');
    expect(valuesOf(text, 'net.link')).toMatchObject([
      { device: 'mlx5_2', gigabits: 100, lanes: 2, gigabitsEnabled: 400, state: 'Active' },
      { device: 'mlx5_0', port: 1, gigabits: 400, lanes: 4 },
      { device: 'mlx5_9', port: 1, gigabits: 200 },
    ]);
  });
});
