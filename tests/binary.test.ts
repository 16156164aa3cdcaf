import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { makeElf, makeFatbin } from '../packages/core/src/binary/testing.ts';
import type { BinaryReport } from '../packages/core/src/binary/report.ts';
import { culprit, scratch } from './run-cli.ts';

const files = 'fixtures/binaries';
const temporary = scratch();
mkdirSync(temporary.path(''), { recursive: true });
afterAll(() => temporary.remove());

function json(args: readonly string[]): { readonly status: number | null; readonly report: BinaryReport } {
  const ran = culprit(['binary', '-f', 'json', ...args]);
  return { status: ran.status, report: JSON.parse(ran.out) as BinaryReport };
}

describe('culprit binary', () => {
  it('lists code, kernels and what the file needs', () => {
    const { status, report } = json([`${files}/cuda13/libmulti_size.so`]);
    expect(status).toBe(0);
    expect(report.unread).toEqual([]);
    const [file] = report.files;
    expect(file).toMatchObject({
      kind: 'elf',
      machine: 'x86_64',
      toolkit: '13.0.88',
      glibc: '2.2.5',
      code: { sass: ['sm_80', 'sm_90', 'sm_100', 'sm_120'], ptx: ['compute_80'] },
      answer: null,
    });
    expect(file!.code.entries.find((one) => one.kind === 'ptx')).toMatchObject({ isa: '9.0', compression: 'zstd' });
    expect(file!.kernels).toHaveLength(60);
    expect(file!.kernels!.find((one) => one.name === 'k_static_smem' && one.arch === 'sm_90')).toMatchObject({
      registers: 10,
      staticSharedBytes: 4096,
      barriers: 1,
    });
  });

  it('keeps to kernels of a name and an architecture', () => {
    const { report } = json([`${files}/cuda13/libmulti_size.so`, '--arch', 'sm_90', '--kernel', 'k_saxpy']);
    expect(report.files[0]!.kernels!.map((one) => [one.arch, one.name])).toEqual([['sm_90', 'k_saxpy']]);
  });

  it('prints kernels as a table and as CSV', () => {
    const text = culprit(['binary', '--kernels', `${files}/cuda118/kernels_70.cubin`]);
    expect(text.out).toMatch(/^sm_70 +\d+ .* k_saxpy$/m);
    const csv = culprit(['binary', '--kernels', '-f', 'csv', `${files}/cuda118/kernels_70.cubin`]);
    expect(csv.out.split('\r\n')[0]).toBe(
      'file,arch,kernel,demangled,registers,shared,local,constant,barriers,max_threads',
    );
    expect(csv.out).toContain('sm_70,k_saxpy,k_saxpy,');
  });

  it.each([
    ['its own code', 'libmulti_size.so', 'H100', 0, 'runs', 'sm_90'],
    ['PTX', 'libmulti_speed.so', 'RTX 5090', 3, 'runs-if', 'compute_90'],
    ['none', 'libcluster_90a.so', 'B200', 1, 'does-not-run', null],
    ['by all rules, with a driver', 'libmulti_size.so', 'driver=535.104.05,gpu=H100', 1, 'does-not-run', null],
    ['by all rules, with a new driver', 'libmulti_size.so', 'driver=580.95.05,gpu=H100', 0, 'runs', 'sm_90'],
  ] as const)('--on tells what the GPU takes: %s', (_, name, on, status, answer, target) => {
    const ran = json([`${files}/cuda13/${name}`, '--on', on]);
    expect(ran.status).toBe(status);
    expect(ran.report.files[0]!.answer).toMatchObject({ answer, target });
  });

  it('a folder is summarised: nothing here runs on that GPU', () => {
    const folder = temporary.path('torch');
    mkdirSync(folder);
    for (const name of ['libcluster_90a.so', 'librdc.so', 'libhost_only.so', 'tiny_90.cubin', 'rdc_a.o', 'libdebug.so'])
      copyFileSync(`${files}/cuda13/${name}`, `${folder}/${name}`);
    writeFileSync(`${folder}/init.py`, 'import torch\n');
    symlinkSync('librdc.so', `${folder}/librdc.so.1`);
    const ran = culprit([
      'binary',
      `${files}/cuda118/kernels_70.cubin`,
      `${files}/cuda13/libcluster_90a.so`,
      '--on',
      'sm_120',
    ]);
    expect(ran.status).toBe(1);
    expect(ran.out).toMatch(/^nothing here runs on sm_120/);
    const all = culprit(['binary', folder]);
    expect(all.out).toContain('in 5 of 5 files');
    expect(all.err).toContain('1 file without GPU code');
    expect(all.out).not.toContain('librdc.so.1');
    expect(all.out).not.toContain('init.py');
  });

  it('no GPU code at all is no answer', () => {
    const ran = culprit(['binary', `${files}/cuda13/libhost_only.so`, '--on', 'H100']);
    expect(ran.status).toBe(3);
    expect(ran.out).toMatch(/^no GPU code in/);
  });

  it('what cannot be read is named with place and reason, the others are read', () => {
    const broken = temporary.path('broken.so');
    const bytes = makeElf({ soname: 'libbroken.so', fatbin: makeFatbin([{ kind: 'ptx', sm: 80 }]) });
    new DataView(bytes.buffer).setBigUint64(40, 2n ** 64n - 8n, true);
    writeFileSync(broken, bytes);
    const text = temporary.path('notes.txt');
    writeFileSync(text, 'no machine code\n');
    const { status, report } = json([broken, text, temporary.path('gone.so'), `${files}/cuda13/librdc.so`]);
    expect(status).toBe(4);
    expect(report.files.map((one) => one.soname ?? one.kind)).toEqual(['libbroken.so', 'elf']);
    expect(report.unread).toEqual([
      { path: temporary.path('gone.so'), offset: 0, reason: 'there is no such file or folder' },
      { path: broken, offset: 40, reason: expect.stringContaining('section table') as string },
      { path: text, offset: 0, reason: expect.stringContaining('no ELF file') as string },
    ]);
  });

  it('a file that is cut is not said to hold nothing; the first line says that it was not read', () => {
    const cut = temporary.path('cut.whl');
    writeFileSync(cut, 'PK\u0003\u0004'.padEnd(2000, 'x'));
    const ran = culprit(['binary', cut]);
    expect(ran.status).toBe(4);
    expect(ran.out).toMatch(/^cannot tell: .*cut\.whl could not be read: /);
    expect(ran.out).not.toContain('no GPU code');
    const gone = culprit(['binary', temporary.path('gone.so')]);
    expect(gone.out).toMatch(/^cannot tell: .*gone\.so could not be read: there is no such file/);
    expect(gone.out).not.toContain('0x0');
  });

  it.each([
    [['--kernel', 'nowhere'], 'libmulti_size.so', /no kernel is named nowhere/],
    [['--arch', 'sm_12'], 'libmulti_size.so', /no kernels for sm_12: there is code for sm_80, sm_90/],
    [['--kernels'], 'libptx_only.so', /there is no machine code/],
  ])('%j that finds nothing says so', (flags, name, message) => {
    expect(culprit(['binary', `${files}/cuda13/${name}`, ...flags]).err).toMatch(message);
  });

  it('a pipe holds nothing up', () => {
    const pipe = temporary.path('pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const ran = culprit(['binary', pipe]);
    expect(ran.status).toBe(4);
    expect(ran.out).toContain('no plain file');
  });

  it('a version is told by the library beside it', () => {
    const folder = temporary.path('cudnn');
    mkdirSync(folder);
    writeFileSync(`${folder}/libcudnn.so.9`, makeElf({ soname: 'libcudnn.so.9' }));
    writeFileSync(
      `${folder}/libcudnn_graph.so.9`,
      makeElf({
        soname: 'libcudnn_graph.so.9',
        symbols: [{ name: 'cudnn_graph_version', bytes: [0, 1, 9, 0], object: true }],
      }),
    );
    expect(json([`${folder}/libcudnn.so.9`]).report.files[0]!.library).toEqual({ name: 'cudnn', version: '9.1.0' });
  });

  it.each([
    [[], /nothing to read/],
    [['x.so', '--on', 'H9000'], /unknown GPU H9000/],
    [['x.so', '--on', 'card=H100'], /--on takes gpu and driver/],
    [['x.so', '--arch', 'hopper'], /--arch is sm_90/],
  ])('wrong usage is told: %j', (args, message) => {
    const ran = culprit(['binary', ...args]);
    expect(ran.status).toBe(2);
    expect(ran.err).toMatch(message);
  });

  it('names of files cannot speak to the terminal', () => {
    const name = temporary.path('lib\u001b[31mred.so');
    writeFileSync(name, makeElf({ soname: 'lib\u001b]0;x\u0007.so' }));
    const ran = culprit(['binary', '--color', 'always', name]);
    expect(ran.out).not.toContain('\u001b[31mred');
    expect(ran.out).not.toContain('\u001b]');
  });
});
