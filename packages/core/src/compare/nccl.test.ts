import { describe, expect, test } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { compare } from './compare.ts';
import { platformOf } from './expected-bandwidth.ts';
import { splitBy } from './split.ts';
import { subjectOf } from './subject.ts';
import type { Subject } from './subject.ts';
import { createDocument } from '../text/document.ts';
import { subject } from './testing.ts';

const table = defaultKnowledge.ncclBandwidth;
const GiB = 2 ** 30;

/** What a run of all_reduce_perf prints. */
function bench(options: {
  gpu?: string;
  nodes?: number;
  perNode?: number;
  rows: readonly (readonly [number, number])[];
  wrong?: number;
  test?: string;
}): string {
  const { gpu = 'NVIDIA H100 80GB HBM3', nodes = 1, perNode = 8, rows, wrong = 0, test: name = 'all_reduce' } = options;
  const lines = [`# Collective test starting: ${name}_perf`, '# Using devices'];
  for (let rank = 0; rank < nodes * perNode; rank++)
    lines.push(
      `#  Rank ${String(rank).padStart(2)} Group  0 Pid  ${41000 + rank * 7} on n${Math.floor(rank / perNode)}-gpu device  ${rank % perNode} [0x1${rank % 8}] ${gpu}`,
    );
  lines.push(
    '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong',
  );
  rows.forEach(([bytes, busbw], at) => {
    const side = `${(bytes / busbw / 1000).toFixed(1)}  ${(busbw / 1.75).toFixed(2)}  ${busbw.toFixed(2)}`;
    lines.push(`  ${bytes}  ${bytes / 4}  float  sum  -1  ${side}  ${at === rows.length - 1 ? wrong : 0}  ${side}  0`);
  });
  lines.push(`# Out of bounds values : ${wrong} ${wrong > 0 ? 'FAILED' : 'OK'}`, '# Avg bus bandwidth    : 100.0');
  return `${lines.join('\n')}\n`;
}

/** What NCCL prints of a run on two nodes. */
function log(options: { ib: boolean; slowRank?: number }): string {
  const lines: string[] = [];
  for (let rank = 0; rank < 16; rank++) {
    const at = `trn-04${rank < 8 ? 12 : 13}:${52000 + rank}:${52900 + rank} [${rank % 8}] NCCL INFO `;
    if (!options.ib) lines.push(`${at}NCCL_IB_DISABLE set by environment to 1.`);
    lines.push(`${at}Using network ${options.ib ? 'IB' : 'Socket'}`);
    lines.push(
      `${at}comm 0x55d1c2a${rank.toString(16)} rank ${rank} nRanks 16 nNodes 2 localRanks 8 localRank ${rank % 8} MNNVL 0`,
    );
    const net = rank === 7 || rank === 15;
    const via = net
      ? `[send] via NET/${options.ib ? 'IB' : 'Socket'}/0${options.ib ? '/GDRDMA' : ''}`
      : options.slowRank === rank
        ? 'via SHM/direct/direct'
        : 'via P2P/CUMEM/read';
    lines.push(`${at}Channel 00/0 : ${rank}[${rank % 8}] -> ${(rank + 1) % 16}[${(rank + 1) % 8}] ${via}`);
    lines.push(
      `${at}${options.ib ? 16 : 2} coll channels, 16 nvls channels, 32 p2p channels, 32 p2p channels per peer`,
    );
  }
  return `${lines.join('\n')}\n`;
}

describe('logs of NCCL', () => {
  test('a run over sockets differs by the variable that turned InfiniBand off, and by what follows', () => {
    const diff = compare([subject('good', log({ ib: true }))], [subject('bad', log({ ib: false }))]);
    const facts = diff.separators.map((each) => each.statements[0]!.fact);
    expect(facts[0]).toBe('env[NCCL_IB_DISABLE]');
    const all = diff.separators.flatMap((each) => [...each.statements, ...each.with]).map((each) => each.fact);
    expect(all).toEqual(expect.arrayContaining(['nccl.net', 'nccl.rank-path[rank 7]', 'nccl.channels.collective']));
    expect(all).not.toContain('nccl.rank-path[rank 3]');
    expect(diff.equal.map((each) => each.fact)).toEqual(expect.arrayContaining(['nccl.ranks', 'nccl.nodes']));
    expect(diff.lines.map((each) => each.text)).toContain('NCCL INFO NCCL_IB_DISABLE set by environment to #.');
  });

  test('one rank that goes another way is found', () => {
    const diff = compare([subject('good', log({ ib: true }))], [subject('bad', log({ ib: true, slowRank: 3 }))]);
    const all = diff.separators.flatMap((each) => [...each.statements, ...each.with]);
    expect(all.map((each) => each.fact)).toContain('nccl.rank-path[rank 3]');
    expect(all.find((each) => each.fact === 'nccl.rank-path[rank 3]')).toMatchObject({
      holds: 'is P2P/CUMEM/read',
      otherwise: ['SHM/direct/direct'],
    });
  });

  test('the same run twice does not differ, whatever its process numbers and addresses are', () => {
    const again = log({ ib: true })
      .replaceAll(/:52(\d{3})/g, ':61$1')
      .replaceAll('trn-04', 'trn-77')
      .replaceAll('0x55d1c2a', '0x7f001b2');
    expect(compare([subject('a', log({ ib: true }))], [subject('b', again)]).answer).toBe('no-difference');
  });
});

describe('results of nccl-tests', () => {
  const run = (name: string, busbw: number, wrong = 0): Subject =>
    subject(
      name,
      bench({
        rows: [
          [GiB / 4, busbw * 0.9],
          [8 * GiB, busbw],
        ],
        wrong,
      }),
    );

  test('are compared size by size', () => {
    const diff = compare([run('before', 471)], [run('after', 212)]);
    expect(diff.answer).toBe('separated');
    expect(diff.headline).toContain('after is slower: all_reduce busbw 212 against 471 GB/s at 8 GiB (45 %)');
    expect(diff.bandwidth.filter((each) => each.apart)).toHaveLength(4);
  });

  test('that differ by some percent do not differ', () => {
    expect(compare([run('monday', 471)], [run('tuesday', 466)]).answer).toBe('no-difference');
  });

  test('of groups are apart only where no run of one reaches the other', () => {
    const diff = compare([run('a', 471), run('b', 470), run('c', 230)], [run('x', 300), run('y', 310), run('z', 305)]);
    expect(diff.bandwidth.some((each) => each.apart)).toBe(false);
  });

  test('that are wrong lead, whatever else differs', () => {
    const diff = compare([run('good', 471)], [run('bad', 212, 5)]);
    expect(diff.headline).toBe('data corruption: nccl-tests found 5 wrong results at 8 GiB in bad');
    expect(diff.corruption).toMatchObject([
      { subject: 'bad', group: 1, wrong: 5, bytes: 8 * GiB, collective: 'all_reduce' },
    ]);
  });
});

describe('what a platform should reach', () => {
  const alone = (text: string, platform: string | null = null): ReturnType<typeof compare> =>
    compare([subject('run', text)], [], defaultKnowledge, {
      platform: platform === null ? null : platformOf(platform, table),
    });

  test.each([
    [
      'eight H100 in one node, as fast as the health check wants',
      bench({ rows: [[16 * GiB, 475]] }),
      null,
      'no-difference',
      [],
    ],
    [
      'eight H100 in one node, without NVLink SHARP',
      bench({ rows: [[16 * GiB, 365]] }),
      null,
      'separated',
      ['hgx-h100'],
    ],
    [
      'eight A100 in one node',
      bench({ gpu: 'NVIDIA A100-SXM4-80GB', rows: [[8 * GiB, 180]] }),
      null,
      'separated',
      ['hgx-a100'],
    ],
    [
      'GPUs that no row is about',
      bench({ gpu: 'NVIDIA GeForce RTX 4090', rows: [[8 * GiB, 18]] }),
      null,
      'cannot-tell',
      [],
    ],
    ['two nodes, whose network nothing tells', bench({ nodes: 2, rows: [[8 * GiB, 90]] }), null, 'cannot-tell', []],
    [
      'two nodes with eight NDR adapters each',
      bench({ nodes: 2, rows: [[8 * GiB, 190]] }),
      '8xNDR',
      'separated',
      ['8 × 400 Gb/s'],
    ],
    ['two nodes with four HDR adapters each', bench({ nodes: 2, rows: [[8 * GiB, 95]] }), '4xHDR', 'no-difference', []],
    [
      'two p5 instances, by name',
      bench({ nodes: 2, rows: [[16 * GiB, 180]] }),
      'p5.48xlarge',
      'separated',
      ['p5.48xlarge'],
    ],
    [
      'two p5 instances within the allowance',
      bench({ nodes: 2, rows: [[16 * GiB, 280]] }),
      'p5.48xlarge',
      'no-difference',
      [],
    ],
    [
      'an instance type as its cloud writes it',
      bench({ rows: [[16 * GiB, 300]] }),
      'Standard_ND_H100_v5',
      'separated',
      ['hgx-h100'],
    ],
    ['small messages only', bench({ rows: [[65536, 3]] }), null, 'cannot-tell', []],
    [
      'another collective than the table knows',
      bench({ rows: [[16 * GiB, 100]], test: 'alltoall' }),
      null,
      'cannot-tell',
      [],
    ],
  ] as const)('%s', (_, text, platform, answer, below) => {
    const diff = alone(text, platform);
    expect(diff.answer).toBe(answer);
    expect([...new Set(diff.expectations.filter((each) => each.below).map((each) => each.platform))]).toEqual(below);
  });

  test('adapters are counted where NCCL prints them', () => {
    const made = Array.from(
      { length: 8 },
      (_, at) => `n0:1:1 [0] NCCL INFO NET/IB : Made virtual device [${at}] name=mlx5_${at} speed=400000 ndevs=1`,
    );
    const diff = alone(`${made.join('\n')}\n${bench({ nodes: 2, rows: [[8 * GiB, 90]] })}`);
    expect(diff.expectations).toMatchObject([{ platform: '8 × 400 Gb/s', by: 'facts', expected: 368, below: true }]);
  });

  test('a name that no row bears is refused', () => {
    expect(platformOf('no-such-machine', table)).toBeNull();
    expect(platformOf('8x123', table)).toBeNull();
  });

  test('every row can be told by its name, and measured rows rise with the size', () => {
    for (const row of table)
      expect(platformOf(row.platform, table)?.rows ?? table.filter((each) => each.id === row.id)).toContain(row);
    for (const row of table)
      for (const other of table)
        if (
          row.kind === 'measured' &&
          other.kind === 'measured' &&
          row.platform === other.platform &&
          row.nodesFrom === other.nodesFrom &&
          row.collective === other.collective &&
          row.bytes < other.bytes
        )
          expect(row.busbw).toBeLessThanOrEqual(other.busbw);
  });

  test('a table of the site replaces it', () => {
    const own = [{ ...table.find((row) => row.id === 'hgx-h100-floor')!, busbw: 500 }];
    const diff = compare([subject('run', bench({ rows: [[16 * GiB, 475]] }))], [], {
      ...defaultKnowledge,
      ncclBandwidth: own,
    });
    expect(diff.expectations).toMatchObject([{ expected: 500, below: true }]);
  });
});

describe('a log of many ranks', () => {
  const text = Array.from({ length: 12 }, (_, rank) =>
    rank === 5
      ? `[rank5]: torch.AcceleratorError: CUDA error: an illegal memory access was encountered`
      : `[rank${rank}]: step 10 loss 2.1\n[rank${rank}]: step 11 loss 2.0\n[rank${rank}]: step 12 loss 1.9`,
  ).join('\n');

  test('is taken apart by rank, in the order of the ranks', () => {
    const parts = splitBy([createDocument(text)], 'rank');
    expect(parts.map((part) => part.name)).toEqual(Array.from({ length: 12 }, (_, rank) => `rank ${rank}`));
    const subjects = parts.map((part) => subjectOf(part, defaultKnowledge));
    const diff = compare(
      [subjects[5]!],
      subjects.filter((_, at) => at !== 5),
    );
    expect(diff.groups[0]!.label).toBe('rank 5');
    expect(diff.answer).toBe('separated');
  });

  test('that names no ranks has no parts', () => {
    expect(splitBy([createDocument('one line\nanother line\n')], 'rank')).toEqual([]);
  });
});
