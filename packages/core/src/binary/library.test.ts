import { describe, expect, it } from 'vitest';
import { inspectPlain } from './inspect.ts';
import { decodeCuda, decodeVersion, versionOfName } from './library.ts';
import { toAskBeside, toldBeside } from './neighbours.ts';
import { sourceOf } from './parts.ts';
import { passingFile } from './passing.ts';
import { makeElf, makeFatbin, returning, writing } from './testing.ts';
import type { ElfSpec } from './testing.ts';

async function fileOf(spec: ElfSpec, path: string) {
  return (await inspectPlain(sourceOf(makeElf(spec)), path, { kernels: 'none' }))!.file;
}

async function passed(spec: ElfSpec, path: string) {
  const bytes = makeElf(spec);
  const passing = passingFile(path, bytes.length);
  for (let at = 0; at < bytes.length; at += 100) passing.push(bytes.subarray(at, at + 100));
  return (await passing.end())!;
}

describe('versions written as numbers', () => {
  it.each([
    [90_100, 9, '9.1.0'],
    [8902, 8, '8.9.2'],
    [120_405, 12, '12.4.5'],
    [12_301, 12, '12.3.1'],
    [22_105, 2, '2.21.5'],
    [2708, 2, '2.7.8'],
    [11_601, 11, '11.6.1'],
    [100_300, 10, '10.3.0'],
    [90_100, 8, null],
    [3, 9, null],
  ])('%i of major %i is %s', (value, major, version) => expect(decodeVersion(value, major)).toBe(version));

  it.each([
    [12_040, '12.4'],
    [11_080, '11.8'],
    [13_000, '13.0'],
    [12_041, null],
    [16, null],
  ])('CUDA %i is %s', (value, version) => expect(decodeCuda(value)).toBe(version));

  it.each([
    ['/usr/lib/libcublas.so.12.4.5.8', '12.4.5.8'],
    ['libcuda.so.535.261.03', '535.261.03'],
    ['libcudart.so.11.0', null],
    ['libcudnn.so.9', null],
  ])('the name %s tells %s', (path, version) => expect(versionOfName(path)).toBe(version));
});

/** Calls what stands 16 bytes before it. */
const callBefore = [0x55, 0xe8, 0xea, 0xff, 0xff, 0xff, 0x5d, 0xc3];

describe('the version of a library is told from its bytes', () => {
  const cases: readonly (readonly [string, ElfSpec, string, string, string | null])[] = [
    [
      'cuDNN 9, a packed number',
      { soname: 'libcudnn_graph.so.9', symbols: [{ name: 'cudnn_graph_version', bytes: [0, 1, 9, 0], object: true }] },
      'libcudnn_graph.so.9',
      'cudnn_graph',
      '9.1.0',
    ],
    [
      'cuBLASLt, a number that is returned',
      { soname: 'libcublasLt.so.12', symbols: [{ name: 'cublasLtGetVersion', bytes: returning(120_405) }] },
      'libcublasLt.so.12',
      'cublasLt',
      '12.4.5',
    ],
    [
      'the name is fuller where it agrees',
      { soname: 'libcublasLt.so.12', symbols: [{ name: 'cublasLtGetVersion', bytes: returning(120_405) }] },
      'libcublasLt.so.12.4.5.8',
      'cublasLt',
      '12.4.5.8',
    ],
    [
      'the bytes count where the name was changed',
      { soname: 'libcublasLt.so.12', symbols: [{ name: 'cublasLtGetVersion', bytes: returning(120_405) }] },
      'libcublasLt.so.12.9.0.1',
      'cublasLt',
      '12.4.5',
    ],
    [
      'NCCL, its own line',
      { soname: 'libnccl.so.2', data: 'x\0Prints NCCL version information\0NCCL version 2.21.5+cuda12.4\0' },
      'libnccl.so.2',
      'nccl',
      '2.21.5',
    ],
    [
      'nvrtc, the line of the compilers',
      { soname: 'libnvrtc.so.12', data: 'Cuda compilation tools, release 12.4, V12.4.127\0' },
      'libnvrtc.so.12',
      'nvrtc',
      '12.4.127',
    ],
    [
      'cudart, behind a call',
      {
        soname: 'libcudart.so.12',
        symbols: [
          { name: 'inner', bytes: writing(12_040) },
          { name: 'cudaRuntimeGetVersion', bytes: callBefore },
        ],
      },
      'libcudart.so.12',
      'cudart',
      '12.4',
    ],
    [
      'libnvidia-ml',
      { soname: 'libnvidia-ml.so.1', data: '535.261.\0x\x0012.535.261.03\0' },
      'libnvidia-ml.so.1',
      'nvidia-ml',
      '535.261.03',
    ],
    ['cuDNN 9 itself does not tell', { soname: 'libcudnn.so.9' }, 'libcudnn.so.9', 'cudnn', null],
  ];
  it.each(cases)('%s', async (_, spec, path, name, version) => {
    expect((await fileOf(spec, path)).library).toEqual({ name, version });
    expect((await passed(spec, path)).library).toEqual({ name, version });
  });

  it('a file that is no CUDA library has none', async () => {
    expect((await fileOf({ soname: 'libcudafoo.so.1' }, 'libcudafoo.so.1')).library).toBeNull();
  });

  it('what is linked in is told: NCCL and the runtime', async () => {
    const spec: ElfSpec = {
      soname: 'libtorch_cuda.so',
      needed: ['libc.so.6'],
      fatbin: makeFatbin([{ kind: 'cubin', sm: 90 }]),
      symbols: [{ name: 'f', bytes: writing(12_060) }],
      data: 'CUDA driver version is insufficient for CUDA runtime version\0NCCL version 2.26.2+cuda12.8\0',
    };
    const embedded = [
      { name: 'cudart', version: '12.6' },
      { name: 'nccl', version: '2.26.2' },
    ];
    expect((await fileOf(spec, 'libtorch_cuda.so')).embedded).toEqual(embedded);
    expect((await passed(spec, 'libtorch_cuda.so')).embedded).toEqual(embedded);
    expect((await fileOf({ ...spec, needed: ['libcudart.so.12'] }, 'libtorch_cuda.so')).embedded).toEqual([
      embedded[1],
    ]);
  });
});

describe('a libcuda', () => {
  const driver: ElfSpec = {
    soname: 'libcuda.so.1',
    needed: ['libc.so.6'],
    symbols: [{ name: 'cuInit', bytes: [...new Uint8Array(64).fill(0x90), 0xc3] }],
    data: '450.80.02\x00550.54.14\0libnvidia-pkcs11-openssl3.so.535.261.03\0Cuda compilation tools, release 12.2, V12.2.149\0',
  };

  it('of the toolkit is a stub', async () => {
    const stub: ElfSpec = { soname: 'libcuda.so.1', symbols: [{ name: 'cuInit', bytes: returning(34) }] };
    const told = { stub: true, version: null, cuda: null, note: null };
    expect((await fileOf(stub, 'stubs/libcuda.so')).libcuda).toEqual(told);
    expect((await passed(stub, 'stubs/libcuda.so')).libcuda).toEqual(told);
  });

  it('of a driver tells its release and CUDA version, not the versions of its tables', async () => {
    const told = { stub: false, version: '535.261.03', cuda: '12.2', note: null };
    expect((await fileOf(driver, 'libcuda.so.1')).libcuda).toEqual(told);
    expect((await passed(driver, 'libcuda.so.1')).libcuda).toEqual(told);
    expect((await fileOf(driver, 'libcuda.so.1')).library).toEqual({ name: 'cuda', version: '535.261.03' });
  });

  it('of a compat package lists the branches it runs on', async () => {
    const text = '{"Format":1,"CUDA Version":"13.1","Driver":[535,550,570],"Device":["H100"]}';
    const note = { cuda: '13.1', drivers: [535, 550, 570], text };
    const compat: ElfSpec = { ...driver, note: ['NVIDIA Corporation', text] };
    expect((await fileOf(compat, 'compat/libcuda.so.1')).libcuda?.note).toEqual(note);
    expect((await passed(compat, 'compat/libcuda.so.1')).libcuda?.note).toEqual(note);
    expect((await fileOf({ ...compat, bare: true }, 'libcuda.so.1')).libcuda?.note).toEqual(note);
    expect((await fileOf({ ...driver, note: ['GNU', text] }, 'libcuda.so.1')).libcuda?.note).toBeNull();
    expect(
      (await fileOf({ ...driver, note: ['NVIDIA Corporation', '{"Driver":'] }, 'libcuda.so.1')).libcuda?.note,
    ).toBeNull();
  });
});

describe('a library that does not tell is told by the one beside it', () => {
  const file = (path: string, name: string, version: string | null) => ({
    path,
    soname: path.slice(path.lastIndexOf('/') + 1),
    library: { name, version },
  });

  it('of the same folder and major', () => {
    const files = [
      file('/a/libcudnn.so.9', 'cudnn', null),
      file('/a/libcudnn_graph.so.9', 'cudnn_graph', '9.1.0'),
      file('/b/libcudnn.so.9', 'cudnn', null),
      file('/b/libcudnn_ops.so.8', 'cudnn_ops', '8.9.2'),
      file('/a/libcublas.so.12', 'cublas', null),
      file('/a/libcublasLt.so.12', 'cublasLt', '12.4.5'),
    ];
    expect(toldBeside(files).map((one) => one.library.version)).toEqual([
      '9.1.0',
      '9.1.0',
      null,
      '8.9.2',
      '12.4.5',
      '12.4.5',
    ]);
    expect(toAskBeside(files[4]!)).toEqual(['libcublasLt.so.12']);
  });

  it('not where the parts disagree', () => {
    const files = [
      file('/a/libcudnn.so.9', 'cudnn', null),
      file('/a/libcudnn_graph.so.9', 'cudnn_graph', '9.1.0'),
      file('/a/libcudnn_ops.so.9', 'cudnn_ops', '9.8.0'),
    ];
    expect(toldBeside(files)[0]!.library.version).toBeNull();
  });
});
