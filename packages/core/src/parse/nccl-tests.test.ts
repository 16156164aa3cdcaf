import { describe, expect, test } from 'vitest';
import { table, valuesOf } from './testing.ts';

const now = `# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 536870912 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 249104 on gpu-n1 device  0 [0000:19:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 249105 on gpu-n2 device  0 [0000:19:00] NVIDIA H100 80GB HBM3
NCCL version 2.28.3+cuda12.9
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
   536870912     134217728     float     sum      -1   2984.6  179.88  356.01      0   2979.7  180.18  356.60      0
  8589934592    2147483648     float     sum      -1    43980  195.31  386.56      3    44094  194.81  385.56    N/A
# Out of bounds values : 3 FAILED
# Avg bus bandwidth    : 373.187
#
`;

describe('a table of nccl-tests', () => {
  test('gives a fact for each row and side, ranks, nodes, the average and the wrong results', () => {
    const facts = table(now);
    expect(facts['nccl.bandwidth']).toEqual([
      {
        collective: 'all_reduce',
        place: 'out-of-place',
        bytes: 536870912,
        type: 'float',
        redop: 'sum',
        root: null,
        timeUs: 2984.6,
        algbw: 179.88,
        busbw: 356.01,
        wrong: 0,
      },
      {
        collective: 'all_reduce',
        place: 'in-place',
        bytes: 536870912,
        type: 'float',
        redop: 'sum',
        root: null,
        timeUs: 2979.7,
        algbw: 180.18,
        busbw: 356.6,
        wrong: 0,
      },
      {
        collective: 'all_reduce',
        place: 'out-of-place',
        bytes: 8589934592,
        type: 'float',
        redop: 'sum',
        root: null,
        timeUs: 43980,
        algbw: 195.31,
        busbw: 386.56,
        wrong: 3,
      },
      {
        collective: 'all_reduce',
        place: 'in-place',
        bytes: 8589934592,
        type: 'float',
        redop: 'sum',
        root: null,
        timeUs: 44094,
        algbw: 194.81,
        busbw: 385.56,
        wrong: null,
      },
    ]);
    expect(facts['nccl.ranks']).toEqual([2]);
    expect(facts['nccl.nodes']).toEqual([2]);
    expect(facts['nccl.wrong']).toEqual([3]);
    expect(facts['nccl.average-bandwidth']).toEqual([373.187]);
  });

  test.each([
    [
      'of 2019, with error and without root',
      `$ ./build/broadcast_perf -b 8
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
    67108864      16777216   float     sum   6289.4   10.67   10.67  5e-07   6290.1   10.67   10.68  5e-07
`,
      [
        ['broadcast', 'out-of-place', 67108864, 10.67, null, null],
        ['broadcast', 'in-place', 67108864, 10.68, null, null],
      ],
    ],
    [
      'behind the prefixes of a launcher, gathered without a reduction',
      `[1,0]<stdout>:#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
[1,0]<stdout>:#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
[1,0]<stdout>:  8589934592     134217728     float    none      -1    24724  347.44  325.72      0    24214  354.75  332.58      0
`,
      [
        [null, 'out-of-place', 8589934592, 325.72, 0, null],
        [null, 'in-place', 8589934592, 332.58, 0, null],
      ],
    ],
    [
      'with times of each iteration, and a root',
      `# Collective test starting: reduce_perf
#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%
     1048576        262144     float     sum       0    31.95   32.82   32.82       0    30.1    33.0    32.9     1.2    32.00   32.77   32.77       2    30.1    33.0    32.9     1.2
`,
      [
        ['reduce', 'out-of-place', 1048576, 32.82, 0, 0],
        ['reduce', 'in-place', 1048576, 32.77, 2, 0],
      ],
    ],
    [
      'of one side only, in the words of 2018',
      `#          bytes             N    type      op     time  algbw  busbw      res
        33554432       8388608   float     sum    2.059   0.51   0.51    5e-07
`,
      [[null, 'out-of-place', 33554432, 0.51, null, null]],
    ],
    [
      'whose row another rank broke',
      `#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n     1048576        262144     float     sum      -1    31.95   n1:1:1 [0] NCCL INFO x\n`,
      [],
    ],
  ] as const)('%s', (_, text, expected) => {
    expect(
      valuesOf(text, 'nccl.bandwidth').map((row) => [
        row.collective,
        row.place,
        row.bytes,
        row.busbw,
        row.wrong,
        row.root,
      ]),
    ).toEqual(expected);
  });
});

describe('what NCCL prints of its graph', () => {
  const log = `n1:4120:4188 [0] NCCL INFO NET/Plugin: Loaded net plugin AWS Libfabric (v8)
n1:4120:4188 [0] NCCL INFO NET/IB : Made virtual device [0] name=mlx5_0 speed=400000 ndevs=1
n1:4120:4188 [0] NCCL INFO NVLS multicast support is available on dev 0
n1:4120:4188 [0] NCCL INFO comm 0x55d1c2a0 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
n1:4120:4188 [0] NCCL INFO Channel 00/24 :    0   7   6   5   4   3   2   1
n1:4120:4188 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->7
n1:4120:4188 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
n1:4120:4188 [0] NCCL INFO Channel 02/0 : 8[0] -> 0[0] [receive] via NET/IB/2/GDRDMA
n1:4120:4188 [0] NCCL INFO Channel 02/0 : 0[0] -> 8[0] [send] via NET/IB/2/GDRDMA
n1:4120:4188 [0] NCCL INFO Channel 03/0 : 0[0] -> 8[0] [send] via NET/IB/3
n1:4120:4188 [0] NCCL INFO 24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, 32 p2p channels per peer
`;
  test('becomes facts, paths by the rank that sends', () => {
    const facts = table(log);
    expect(facts['nccl.plugin']).toEqual(['AWS Libfabric']);
    expect(facts['nccl.adapter']).toEqual([{ name: 'mlx5_0', gigabitsPerSecond: 400 }]);
    expect(facts['nccl.nvls']).toEqual(['available']);
    expect(facts['nccl.ranks']).toEqual([16]);
    expect(facts['nccl.nodes']).toEqual([2]);
    expect(facts['nccl.graph']).toEqual([
      { kind: 'ring', count: 24 },
      { kind: 'tree', count: 2 },
    ]);
    expect(facts['nccl.rank-path']).toEqual([
      { rank: 0, via: ['NET/IB', 'NET/IB/GDRDMA', 'P2P/CUMEM/read'], network: 2, gdr: 1 },
    ]);
    expect(facts['nccl.channels']).toEqual([{ collective: 24, nvls: 16, p2p: 32 }]);
  });

  test('says none where it found no plugin', () => {
    expect(valuesOf('n1:1:1 [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)', 'nccl.plugin')).toEqual([
      'none',
    ]);
  });
});

describe('a table that does not name its test', () => {
  const unnamed = (redop: string, root: number, factor: number, ranks = 8): string =>
    [
      '# Using devices',
      ...Array.from(
        { length: ranks },
        (_, at) => `#  Rank  ${at} Group  0 Pid  26625 on  node-a device  ${at} [0000:1${at}:00] NVIDIA H100 80GB HBM3`,
      ),
      '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong',
      ...[1, 2].map(
        (at) =>
          `  ${at * 4294967296}  ${at * 1073741824}  float  ${redop}  ${root}  31935  100.00  ${(100 * factor).toFixed(2)}  0  31921  100.00  ${(100 * factor).toFixed(2)}  0`,
      ),
    ].join('\n');

  test.each([
    ['sum', -1, 1.75, 'all_reduce'],
    ['sum', -1, 0.875, 'reduce_scatter'],
    ['sum', 0, 1, 'reduce'],
    ['none', 0, 1, 'broadcast'],
    ['none', -1, 0.875, null],
    ['sum', -1, 1.3, null],
  ] as const)('that reduces by %s, with root %i and a factor of %d is of %s', (redop, root, factor, operation) => {
    const facts = table(unnamed(redop, root, factor));
    expect(new Set(facts['nccl.bandwidth']!.map((row) => (row as { collective: string | null }).collective))).toEqual(
      new Set([operation]),
    );
    expect(facts['gpu.name']).toEqual(['NVIDIA H100 80GB HBM3']);
  });
});

describe('the JSON of nccl-tests', () => {
  const written = (device: string, program: string): string =>
    `{"version":3,"start_time":"2026-01-02 03:04:05","args":["${program}","-g","8"],"env":["HOME=/root","NCCL_NVLS_ENABLE=0"],"nccl_version":22803,"config":{"nthreads":1,"ngpus":8,"devices":[${device}]},"results":[{"size":8589934592,"count":2147483648,"type":"float","redop":"sum","root":"    -1","out_of_place":{"time":31935.100000,"alg_bw":134.290000,"bus_bw":235.000000,"nwrong":0.000000},"in_place":{"time":31935.100000,"alg_bw":134.290000,"bus_bw":235.100000,"nwrong":null},"actual_iterations":20,"experiment_name":"x"}],"out_of_bounds":{"count":2,"okay":"false"},"average_bus_bandwidth":{"bandwidth":235.050000,"okay":"unchecked"},"errors":[]}`;
  const device = (rank: number, host: string): string =>
    `{"rank":${rank},"group":0,"pid":1,"hostname":"${host}","device":0,"device_hex":"0000:19:00","device_info":"NVIDIA H100 80GB HBM3"}`;

  test.each([
    ['one process', device(0, 'a'), './build/all_reduce_perf', 8, 1],
    ['two processes, no name', `${device(0, 'a')},${device(8, 'b')}`, './x', 16, 2],
  ])('of %s gives the same facts as a table', (_, devices, program, ranks, nodes) => {
    const facts = table(written(devices, program));
    const row = {
      collective: 'all_reduce',
      bytes: 8589934592,
      type: 'float',
      redop: 'sum',
      root: null,
      timeUs: 31935.1,
      algbw: 134.29,
    };
    const expected = ranks === 8 ? row : { ...row, collective: null };
    expect(facts['nccl.bandwidth']).toEqual([
      { ...expected, place: 'out-of-place', busbw: 235, wrong: 0 },
      { ...expected, place: 'in-place', busbw: 235.1, wrong: null },
    ]);
    expect(facts).toMatchObject({
      'nccl.ranks': [ranks],
      'nccl.nodes': [nodes],
      'nccl.wrong': [2],
      'nccl.average-bandwidth': [235.05],
      'nccl.version': ['2.28.3'],
      'gpu.name': ['NVIDIA H100 80GB HBM3'],
      env: [{ name: 'NCCL_NVLS_ENABLE', value: '0' }],
    });
  });

  test('that was cut gives what is there, and other JSON nothing', () => {
    const text = written(device(0, 'a'), './all_reduce_perf');
    for (let length = 0; length < text.length; length += 37) expect(() => table(text.slice(0, length))).not.toThrow();
    expect(table('{"results":[{"bus_bw":"many"}]}')['nccl.bandwidth']).toBeUndefined();
  });
});
