import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit, root } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'culprit-occupancy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('culprit occupancy', () => {
  it('answers a table of launches as the calculator does', () => {
    const file = join(root, 'fixtures/occupancy/calculator.csv');
    const ran = culprit(['occupancy', '--rows', file]);
    expect(ran.status).toBe(0);
    expect(ran.out).toBe(readFileSync(file, 'utf8'));
    const objects = JSON.parse(culprit(['occupancy', '--rows', file, '-f', 'json']).out) as unknown[];
    expect(objects).toHaveLength(2000);
    expect(objects[1999]).toMatchObject({ id: '2000', cc: '10.0', limit_virtual: null, limiting: 'warps' });
  });

  it.each([
    [['--gpu', 'H100', '--block', '16x16', '--registers', '64'], 4, 32],
    [['--cc', '8.6', '-b', '32'], 16, 16],
    [['--gpu', 'H100', '-b', '256', '--dynamic', '64K'], 3, 24],
    [['--gpu', 'H100', '-b', '128', '--shared', '16K', '--dynamic', '8K'], 9, 36],
  ])('%j gives %i blocks and %i warps', (args, activeBlocks, activeWarps) => {
    const ran = culprit(['occupancy', ...args, '-f', 'json']);
    expect(ran.status).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ schema: 'culprit/occupancy@1', activeBlocks, activeWarps });
  });

  it.each([
    ['--grid and --threads at once', ['--grid', '8', '--threads', '100'], 'two ways'],
    ['no SMs', ['--sms', '0'], '--sms'],
    ['65 threads in z', ['--block', '1x1x65'], '64 in z'],
    ['too many blocks in x', ['--grid', '2147483648'], '2147483647 in x'],
    ['too many blocks in y', ['--grid', '1x65536'], '65535 in y'],
  ])('%s: refused with the reason', (_, args, words) => {
    const ran = culprit(['occupancy', '--gpu', 'H100', ...args]);
    expect(ran.status).toBe(2);
    expect(ran.err).toContain(words);
  });

  it('tells waves, the tail and idle SMs', () => {
    const ran = culprit([
      'occupancy',
      '--gpu',
      'H100',
      '--block',
      '1024',
      '--registers',
      '64',
      '--grid',
      '133',
      '-f',
      'json',
    ]);
    expect(JSON.parse(ran.out)).toMatchObject({
      grid: { blocks: 133, blocksPerWave: 132, fullWaves: 1, tailBlocks: 1, idleSms: 0, tailIdleSms: 131 },
    });
  });

  it('prints text, Markdown, CSV and a drawing', () => {
    const asked = ['occupancy', '--gpu', 'A100', '--block', '256', '--registers', '80', '--curve', 'all'];
    expect(culprit(asked).out).toContain('occupancy against threads per block');
    expect(culprit([...asked, '-f', 'markdown']).out).toContain('| registers (limits) | 3 |');
    expect(culprit([...asked.slice(0, -2), '-f', 'csv']).out.split('\n')[1]).toMatch(/^,8\.0,A100,108,256,80,/);
    expect(culprit([...asked.slice(0, -2), '-f', 'svg']).out).toMatch(/^<svg [^>]*>/);
  });

  it('takes kernels from what the assembler printed', () => {
    const text = [
      "ptxas info    : Compiling entry function 'scan' for 'sm_80'",
      'ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]',
      "ptxas info    : Compiling entry function 'reduce' for 'sm_80'",
      'ptxas info    : Used 32 registers, 400 bytes cmem[0]',
    ].join('\n');
    const both = culprit(['occupancy', '--from', '-', '--block', '256', '-f', 'json'], { input: text });
    expect(JSON.parse(both.out)).toMatchObject({
      schema: 'culprit/occupancies@1',
      kernels: [{ launch: { kernel: 'scan' } }, {}],
    });
    const one = culprit(
      ['occupancy', '--from', '-', '--kernel', 'scan', '--gpu', 'RTX 3090', '-b', '256', '-f', 'json'],
      { input: text },
    );
    expect(JSON.parse(one.out)).toMatchObject({
      computeCapability: '8.6',
      launch: { registersPerThread: 40, staticShared: 4096 },
    });
  });

  it('takes kernels from a profile', () => {
    const ran = culprit(['occupancy', '--from', 'fixtures/outputs/ncu/details.csv', '-f', 'json']);
    expect(JSON.parse(ran.out)).toMatchObject({ sms: 132, activeBlocks: 8, grid: { blocks: 1024 } });
  });

  it('says that a kernel cannot launch, with status 1', () => {
    const ran = culprit(['occupancy', '--gpu', 'H100', '--block', '1024', '--registers', '65']);
    expect(ran.status).toBe(1);
    expect(ran.out).toContain('it does not launch');
  });

  it.each([
    [['--gpu', 'H1000'], 2, 'did you mean H100'],
    [['--block', '256'], 2, 'on which GPU'],
    [['--gpu', 'H100', '--block', 'many'], 2, '--block'],
    [['--gpu', 'H100', '--block', '0'], 2, '--block'],
    [['--gpu', 'H100', '--carveout', '101'], 2, '--carveout'],
    [['--gpu', 'H100', '--cc', '9.0'], 2, 'in two ways'],
    [['--gpu', 'H100', '--from', 'README.md'], 4, 'holds no kernels'],
    [['--from', 'fixtures/outputs/ncu/details.csv', '--kernel', 'axpi'], 4, 'holds no kernel with axpi'],
    [['--rows', 'README.md'], 4, 'line 1'],
    [['--gpu', 'H100', '--rows', 'nowhere.csv'], 4, 'nowhere.csv'],
  ])('%j is refused: %i', (args, status, words) => {
    const ran = culprit(['occupancy', ...args]);
    expect(ran.status).toBe(status);
    expect(ran.err).toContain(words);
  });
});

describe('culprit trace', () => {
  it('names the kernel, the cause and the numbers', () => {
    const ran = culprit(['trace', 'examples/kernels.csv']);
    expect(ran.status).toBe(1);
    expect(ran.out).toContain('application/uncoalesced-access, proved');
    expect(ran.out).toContain('stall: long scoreboard');
    expect(ran.out).toContain('warp execution efficiency 100 %');
  });

  it('reads standard input and gzip', () => {
    const text = readFileSync(join(root, 'fixtures/outputs/ncu/raw.csv'), 'utf8');
    const zipped = join(folder, 'raw.csv.gz');
    writeFileSync(zipped, gzipSync(text));
    for (const ran of [
      culprit(['trace', '-', '-f', 'json'], { input: text }),
      culprit(['trace', zipped, '-f', 'json']),
    ])
      expect(JSON.parse(ran.out)).toMatchObject({
        schema: 'culprit/verdict@1',
        status: 'performance',
        cause: 'warp-divergence',
      });
  });

  it('several files are one array of JSON', () => {
    const ran = culprit(['trace', 'examples/kernels.csv', 'fixtures/outputs/ncu/raw.csv', '-f', 'json']);
    expect((JSON.parse(ran.out) as { cause: string }[]).map((each) => each.cause)).toEqual([
      'uncoalesced-access',
      'warp-divergence',
    ]);
    expect(culprit(['trace', 'examples/kernels.csv', 'fixtures/outputs/ncu/raw.csv', '-f', 'sarif']).status).toBe(2);
  });

  it('a report in a file is redacted', () => {
    const text = readFileSync(join(root, 'fixtures/outputs/ncu/raw.csv'), 'utf8').replaceAll(
      '127.0.0.1',
      'gpu-node-17.corp.example.com',
    );
    const file = join(folder, 'report.txt');
    const ran = culprit(['trace', '-', '-o', file], { input: text });
    expect(ran.status).toBe(1);
    expect(readFileSync(file, 'utf8')).toContain('warp-divergence');
    expect(readFileSync(file, 'utf8')).not.toContain('gpu-node-17');
  });

  it('several files give the worst status', () => {
    const ran = culprit(['trace', 'examples/kernels.csv', 'README.md']);
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('README.md is no profile that is known');
    expect(ran.out).toContain('uncoalesced-access');
  });

  it.each([
    ['NVR\0report', 'ncu --import'],
    ['QDSTRM\0', 'nsys export -t sqlite'],
    ['', 'it is empty'],
    ['a log of something', 'culprit diagnose'],
  ])('%j is said to be none', (text, words) => {
    const ran = culprit(['trace', '-'], { input: text });
    expect(ran.status).toBe(4);
    expect(ran.err).toContain(words);
  });
});

describe('culprit explain', () => {
  it.each([
    [
      ['waves', '--gpu', 'H100', '--block', '1024', '--registers', '64', '--grid', '133'],
      '133 / 132 = 1.008 waves: 1 full, 1 block in the last',
    ],
    [['occupancy', '--gpu', 'H100', '--block', '256', '--registers', '64'], '4 blocks = 32 warps of 64: 50 %'],
    [
      ['registers', '--cc', '8.0', '--block', '256', '--registers', '70'],
      '70 × 32 = 2,240 registers, in pieces of 256: 2,304',
    ],
    [['shared', 'memory', '--gpu', 'H100', '--block', '256', '--dynamic', '64K'], '65,536 dynamic + 1,024 reserved'],
    [['divergence', '--gpu', 'H100', '--block', '33', '--active-threads', '9,5'], '31 of 64 lanes'],
    [['warp', '--gpu', 'H100', '--block', '48'], '16 of 64 lanes (25 %) are empty'],
    [['thread', '--gpu', 'H100', '--block', '256', '--grid', '10'], '2,560 threads'],
    [['block', '--gpu', 'H100', '--block', '256'], 'an SM holds 8 of them'],
    [['grid', '--gpu', 'H100', '--block', '256', '--grid', '33'], '99 of 132 SMs'],
    [['SM', '--gpu', 'B200', '--block', '256'], 'B200 has 148 SMs'],
  ])('%j is computed', (args, words) => {
    const ran = culprit(['explain', ...args]);
    expect(ran.status).toBe(0);
    expect(ran.out.replaceAll(/\n {4}/g, ' ')).toContain(words);
  });

  it('takes an H100 where no GPU is named, and says so', () => {
    const ran = culprit(['explain', 'waves', '--grid', '133', '--block', '256']);
    expect(ran.status).toBe(0);
    expect(ran.err).toContain('H100 is taken');
  });
});
