import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { BinaryReport } from '../../packages/core/src/binary/report.ts';
import { culprit } from '../run-cli.ts';
import { clean, debianPackage, npmPackage, unpackedWheel, wheel } from './download.ts';

afterAll(clean);

function report(args: readonly string[]): BinaryReport {
  return JSON.parse(culprit(['binary', '-f', 'json', ...args]).out) as BinaryReport;
}

function filesBelow(folder: string, name: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((one) => name.test(one))
    .map((one) => join(folder, one));
}

describe('versions of real libraries, told from the wheel', () => {
  it.for([
    ['nvidia-cuda-runtime-cu11==11.8.89', { cudart: '11.8' }],
    ['nvidia-cuda-runtime-cu12==12.4.127', { cudart: '12.4' }],
    ['nvidia-cuda-runtime-cu12==12.8.90', { cudart: '12.8' }],
    ['nvidia-cuda-runtime==13.0.48', { cudart: '13.0' }],
    ['nvidia-nvjitlink-cu12==12.4.127', { nvJitLink: '12.4.127' }],
    ['nvidia-cuda-nvrtc-cu12==12.4.127', { nvrtc: '12.4.127' }],
    ['nvidia-nccl-cu12==2.18.1', { nccl: '2.18.1' }],
    ['nvidia-nccl-cu12==2.21.5', { nccl: '2.21.5' }],
    ['nvidia-curand-cu12==10.3.5.147', { curand: '10.3.5' }],
    ['nvidia-cufft-cu12==11.2.1.3', { cufft: '11.2.1' }],
    ['nvidia-cusolver-cu12==11.6.1.9', { cusolver: '11.6.1' }],
    ['nvidia-cusparse-cu12==12.3.1.170', { cusparse: '12.3.1' }],
    ['nvidia-cublas-cu12==12.4.5.8', { cublas: '12.4.5', cublasLt: '12.4.5' }],
    ['nvidia-cublas==13.0.0.19', { cublas: '13.0.0', cublasLt: '13.0.0' }],
    ['nvidia-cudnn-cu12==8.9.2.26', { cudnn: '8.9.2', cudnn_ops_infer: '8.9.2' }],
    ['nvidia-cudnn-cu12==9.1.0.70', { cudnn: '9.1.0', cudnn_graph: '9.1.0', cudnn_engines_precompiled: '9.1.0' }],
  ] as const)('%s', ([requirement, expected], context) => {
    const got = wheel(requirement);
    if ('missing' in got) return context.skip(got.missing);
    const { files, unread } = report([got.path]);
    expect(unread).toEqual([]);
    const versions = Object.fromEntries(
      (files[0]?.members ?? []).flatMap(({ library }) => (library === null ? [] : [[library.name, library.version]])),
    ) as Record<string, string | null>;
    expect(versions).toMatchObject(expected);
  });
});

describe('a real driver library', () => {
  it('tells its release and the CUDA version it serves', (context) => {
    const got = debianPackage('libcuda1');
    if ('missing' in got) return context.skip(got.missing);
    const [path] = filesBelow(join(got.path, 'root'), /libcuda\.so\.\d+\.\d/);
    const release = /libcuda\.so\.(.+)$/.exec(path!)![1]!;
    const { files } = report([path!]);
    expect(files[0]).toMatchObject({
      library: { name: 'cuda', version: release },
      libcuda: { stub: false, version: release },
    });
    expect(files[0]!.libcuda!.cuda).toMatch(/^\d{2}\.\d$/);
  });
});

describe('a real fat binary', () => {
  it('has as many entries for each architecture as cuobjdump lists', (context) => {
    const tool = unpackedWheel('nvidia-cuda-cuobjdump');
    if ('missing' in tool) return context.skip(tool.missing);
    const library = npmPackage('@node-llama-cpp/linux-x64-cuda-ext');
    if ('missing' in library) return context.skip(library.missing);
    const [cuobjdump] = filesBelow(tool.path, /bin\/cuobjdump$/);
    chmodSync(cuobjdump!, 0o755);
    const [path] = filesBelow(library.path, /libggml-cuda\.so$/);
    const listed = (flag: string): readonly string[] =>
      spawnSync(cuobjdump!, [flag, path!], { encoding: 'utf8', maxBuffer: 1e8 })
        .stdout.split('\n')
        .flatMap((line) => /\.(sm_\d+[af]?)\.(?:cubin|ptx)$/.exec(line)?.[1] ?? []);
    const found = report([path!]).files[0]!.code.entries;
    const ours = (kind: string): readonly string[] =>
      found.filter((one) => one.kind === kind).map((one) => one.arch.replace('compute_', 'sm_'));
    expect(ours('cubin').toSorted()).toEqual(listed('--list-elf').toSorted());
    expect(ours('ptx').toSorted()).toEqual(listed('--list-ptx').toSorted());
  });
});
