import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Diff } from '../packages/core/src/compare/diff.ts';
import { nodeText } from '../packages/core/src/compare/testing.ts';
import { culprit, root, scratch } from './run-cli.ts';

const folder = scratch();
afterAll(folder.remove);

const put = (name: string, content: string | Uint8Array): string => {
  const path = folder.path(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};
mkdirSync(folder.path('empty-folder'), { recursive: true });
const diffOf = (args: readonly string[]): Diff => JSON.parse(culprit(['diff', '-f', 'json', ...args]).out) as Diff;

const broken = [
  'HOST:~$ nvidia-smi',
  'Failed to initialize NVML: Driver/library version mismatch',
  'NVML library version: 570.133',
];
const failing = Array.from({ length: 16 }, (_, at) =>
  put(`failing/n${at}.txt`, nodeText({ seed: at, library: '570.133.20', more: broken, without: ['gpus'] })),
);
const passing = Array.from({ length: 14 }, (_, at) => put(`passing/n${at + 16}.txt`, nodeText({ seed: 100 + at })));
const bench = (busbw: number, wrong = 0): string =>
  [
    '# Collective test starting: all_reduce_perf',
    ...Array.from(
      { length: 8 },
      (_, at) => `#  Rank  ${at} Group  0 Pid  4100${at} on  node-a device  ${at} [0x1${at}] NVIDIA H100 80GB HBM3`,
    ),
    '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong',
    ` 17179869184    4294967296     float     sum      -1    64000  268.00  ${busbw.toFixed(2)}      ${wrong}    64000  268.00  ${busbw.toFixed(2)}      0`,
    '',
  ].join('\n');

describe('culprit diff', () => {
  it('compares groups of files, and says 16 of 16 and 0 of 14', () => {
    const ran = culprit(['diff', ...failing, '--against', ...passing]);
    expect(ran.status).toBe(1);
    expect(ran.err).toBe('');
    expect(ran.out.split('\n')[0]).toMatch(/^16 of 16 failing, 0 of 14 passing: driver\/kmod-userspace-mismatch/);
    expect(ran.out.replaceAll(/\s+/g, ' ')).toContain('is 570.133.20; else 570.124.06 [driver.library]');
    expect(ran.out).toContain('the finding of driver/kmod-userspace-mismatch-after-upgrade rests on it');
    expect(ran.out).not.toContain('\u001b');
  });

  it('takes folders as groups, named after them', () => {
    const diff = diffOf([folder.path('failing'), '--against', folder.path('passing')]);
    expect(diff.groups.map((group) => [group.label, group.subjects.length])).toEqual([
      [folder.path('failing'), 16],
      [folder.path('passing'), 14],
    ]);
    expect(diffOf([folder.path('failing/'), folder.path('passing/')]).separators).toEqual(diff.separators);
  });

  it('makes groups of the verdicts where none are named, and says so', () => {
    const diff = diffOf([...passing.slice(0, 3), ...failing.slice(0, 3)]);
    expect(diff.byVerdict).toBe(true);
    expect(diff.groups.map((group) => group.subjects)).toEqual([
      ['n0.txt', 'n1.txt', 'n2.txt'],
      ['n16.txt', 'n17.txt', 'n18.txt'],
    ]);
  });

  it('takes a folder whose files are named after their sources as one subject, and sub-folders as subjects', () => {
    for (const [node, library] of [
      ['node17', '570.133.20'],
      ['node18', '570.124.06'],
    ] as const) {
      const text = nodeText({ seed: 3, library, kernel: '5.15.0-113-generic' });
      const [uname, rest] = [
        text.slice(0, text.indexOf('\n', text.indexOf('Linux ')) + 1),
        text.slice(text.indexOf('\n', text.indexOf('Linux ')) + 1),
      ];
      put(`nodes/${node}/uname.txt`, uname);
      put(`nodes/${node}/nvidia-smi.txt`, rest);
    }
    const pair = diffOf([folder.path('nodes/node17'), folder.path('nodes/node18')]);
    expect(pair.groups.map((group) => group.subjects)).toEqual([['node17'], ['node18']]);
    expect(pair.equal.map((each) => each.fact)).toContain('os.kernel');
    const nested = diffOf([folder.path('nodes'), '--against', ...passing]);
    expect(nested.groups[0]!.subjects).toEqual(['node17', 'node18']);
    expect(
      diffOf([folder.path('nodes/node17'), folder.path('nodes/node18'), '--each', 'file']).groups[0]!.subjects,
    ).toHaveLength(2);
  });

  it('reads snapshots and compressed logs', () => {
    const snapshot = (library: string): string =>
      JSON.stringify({
        schema: 'culprit/snapshot@1',
        subject: 'node',
        takenAt: null,
        probe: null,
        observations: [
          { source: 'text', command: null, exit: 0, ms: 1, truncated: false, text: nodeText({ seed: 5, library }) },
        ],
      });
    const a = put('a.json', snapshot('570.133.20'));
    const b = put('b.json.gz', gzipSync(snapshot('570.124.06')));
    expect(diffOf([a, b]).separators[0]!.statements[0]!.fact).toBe('driver.library');
  });

  it.each([
    ['the same log twice', () => [passing[0]!, put('copy.txt', nodeText({ seed: 100 }))], 0],
    ['texts without a common fact', () => [put('x.txt', 'hello\n'), put('y.txt', 'world\n')], 3],
    ['a file that is not there', () => [passing[0]!, folder.path('nowhere.txt')], 4],
    ['no name', () => [], 2],
    ['one name', () => [passing[0]!], 2],
    ['three names that differ from one another, none of which stands out', () => passing.slice(0, 3), 3],
    ['a folder without files', () => [folder.path('empty-folder'), '--against', passing[0]!], 4],
    ['files that are empty', () => [put('e1.txt', ''), put('e2.txt', ''), '--against', put('e3.txt', '')], 3],
    [
      'a picture',
      () => [passing[0]!, put('p.png', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 1, 2]))],
      4,
    ],
    ['--against without a name', () => [passing[0]!, '--against'], 2],
    ['a platform that no row is about', () => [passing[0]!, passing[1]!, '--platform', 'abacus'], 2],
    ['a word for --by that it does not know', () => [passing[0]!, '--by', 'moon'], 2],
  ] as const)('%s ends with its status', (_, args, status) => {
    const ran = culprit(['diff', ...args()]);
    expect(ran.status).toBe(status);
    expect(ran.err).not.toContain('    at ');
  });

  it('holds a benchmark against the table and against a table of the site', () => {
    const slow = put('slow.txt', bench(365));
    const fine = put('fine.txt', bench(475));
    expect(culprit(['diff', slow]).status).toBe(1);
    expect(culprit(['diff', slow]).out).toContain('too slow: all_reduce busbw 365 GB/s at 16 GiB');
    expect(culprit(['diff', fine]).status).toBe(0);
    const row = {
      id: 'ours',
      platform: 'ours',
      about: 'our nodes',
      aliases: [],
      gpus: ['H100 80GB HBM3'],
      gpusPerNode: 8,
      nodesFrom: 1,
      nodesTo: 1,
      collective: 'all_reduce',
      kind: 'floor',
      adapterGbps: null,
      bytes: 1024,
      busbw: 490,
      tolerance: 1,
      note: null,
      confirmed: true,
      sources: ['nccl-env'],
    };
    put('tables/nccl-bandwidth.json', JSON.stringify([row]));
    expect(culprit(['diff', fine, '--knowledge', folder.path('tables')]).out).toContain('490 GB/s of ours');
    expect(culprit(['diff', fine, put('wrong.txt', bench(475, 3))]).out).toMatch(/^data corruption: /);
  });

  it.each(['text', 'json', 'markdown', 'csv'])(
    'prints %s, nothing of a stranger raw, and names replaced where asked',
    (format) => {
      const evil = put('evil.txt', `${nodeText({ seed: 7, library: '570.133.20' })}\u001b]0;owned\u0007\n`);
      const ran = culprit(['diff', evil, passing[0]!, '-f', format, '--redact']);
      expect(ran.status).toBe(1);
      expect(ran.out.length).toBeGreaterThan(100);
      expect(ran.out).not.toContain('\u001b');
      expect(ran.out).not.toContain('gpu-r4-n007:');
    },
  );

  it('takes the ranks of one log apart', () => {
    const log = put(
      'job.log',
      Array.from({ length: 8 }, (_, rank) =>
        rank === 5
          ? '[rank5]: torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device'
          : `[rank${rank}]: epoch 1 | step 10 | loss 2.10\n[rank${rank}]: epoch 1 | step 11 | loss 2.05\n[rank${rank}]: epoch 1 | step 12 | loss 2.01`,
      ).join('\n'),
    );
    const ran = culprit(['diff', log, '--by', 'rank', '-f', 'json']);
    expect((JSON.parse(ran.out) as Diff).groups.map((group) => group.subjects.length)).toEqual([1, 7]);
  });

  const hang = (odd: number | null): string =>
    Array.from({ length: 16 }, (_, rank) => {
      const [sequence, operation] = rank === odd ? [91203, '_ALLGATHER_BASE'] : [91204, 'ALLREDUCE'];
      return `[rank${rank}]:[E1104 14:20:51.22${rank} ProcessGroupNCCL.cpp:616] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${sequence}, OpType=${operation}, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 60008${rank} milliseconds before timing out.`;
    }).join('\n');

  it('finds the rank that differs from all others where verdicts are alike, and claims no cause', () => {
    const log = put('hang.log', hang(11));
    const ran = culprit(['diff', log, '--by', 'rank']);
    expect(ran.status).toBe(1);
    expect(ran.out).toMatch(/^rank 11 differs from the 15 others: .{0,80}_ALLGATHER_BASE, else ALLREDUCE/);
    expect(ran.out).toContain('does not prove');
    expect(ran.out).not.toContain('once in');
    const diff = diffOf([log, '--by', 'rank']);
    expect(diff.outliers[0]!.subjects).toEqual(['rank 11']);
    expect(diff.groups.map((group) => group.subjects.length)).toEqual([1, 15]);
  });

  it('says that ranks are alike where they are', () => {
    const ran = culprit(['diff', put('alike.log', hang(null)), '--by', 'rank']);
    expect(ran.status).toBe(0);
    expect(ran.out).toMatch(/^no difference: all 16 are alike/);
  });

  it('the example of the README is as it says', () => {
    const ran = culprit(['diff', join(root, 'examples/nccl-fast.log'), join(root, 'examples/nccl-slow.log')]);
    expect(ran.status).toBe(1);
    expect(ran.out).toContain('env[NCCL_IB_DISABLE]');
  });
});
