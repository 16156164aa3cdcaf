import { describe, expect, test } from 'vitest';
import { table } from './testing.ts';

type Expected = Readonly<Record<string, readonly unknown[]>>;

const rows: readonly (readonly [text: string, expected: Expected])[] = [
  [
    '# driver 375.26, toolkit 8.0.61, GeForce 840M',
    { 'driver.version': ['375.26'], 'toolkit.runtime': ['8.0'], 'gpu.name': ['GeForce 840M'] },
  ],
  ['GPU: NVIDIA GeForce RTX 3090', { 'gpu.name': ['NVIDIA GeForce RTX 3090'] }],
  ['driver branch: 525', { 'driver.version': ['525'] }],
  [
    '# host: Ubuntu 22.04, container toolkit 1.18',
    { 'os.name': ['Ubuntu 22.04'], 'container.toolkit-version': ['1.18'], 'toolkit.runtime': [] },
  ],
  ['# container toolkit 1.18.0', { 'container.toolkit-version': ['1.18.0'], 'toolkit.runtime': [] }],
  ['# torch 2.2.0+cu121', { 'torch.version': ['2.2.0+cu121'], 'torch.cuda': ['12.1'] }],
  [
    '# pytorch 1.3, CUDA 10.1, GPU Tesla K40m',
    { 'torch.version': ['1.3'], 'toolkit.runtime': ['10.1'], 'gpu.name': ['Tesla K40m'] },
  ],
  [
    '# pod limits: nvidia.com/gpu: 1 ; image FROM python:3.12',
    { 'image.reference': ['python:3.12'], 'k8s.resource': [{ name: 'nvidia.com/gpu', value: '1' }] },
  ],
  ['# nvcc 11.6', { 'toolkit.nvcc': ['11.6'] }],
  ['# gcc 14, cuda-nvcc-12-0-12.0.140', { 'toolkit.host-compiler': ['gcc 14'], 'toolkit.nvcc': ['12.0'] }],
  ['# NVSwitch server, nvidia-smi lists all GPUs', { 'fabric.nvswitch': [true] }],
  ['# two cards without NVSwitch', { 'fabric.nvswitch': [] }],
  ['# torch with CUDA 11.8', { 'torch.cuda': ['11.8'], 'toolkit.runtime': [] }],
  ['# needs driver 535 or later', { 'driver.version': [] }],
  ['# requires CUDA 12.4', { 'toolkit.runtime': [] }],
  [
    '# GeForce GTX 1650, driver 460.80 (serves CUDA 11.2)',
    { 'driver.version': ['460.80'], 'driver.cuda': ['11.2'], 'toolkit.runtime': [] },
  ],
  [
    '# 4 x GeForce RTX 2080, NCCL 2.7.3',
    { 'gpu.count': [4], 'gpu.name': ['GeForce RTX 2080'], 'nccl.version': ['2.7.3'] },
  ],
  ['# the driver was upgraded from 535.129.03 to 550.54.15 last night', { 'driver.version': ['550.54.15'] }],
  [
    '# container: pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime',
    { 'image.reference': ['pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime'], 'torch.version': [] },
  ],
  ['# NVIDIA driver 550.54.15 (open)', { 'driver.version': ['550.54.15'], 'driver.flavour': ['open'] }],
  ['# 4090, driver 560.94', { 'gpu.name': ['GeForce RTX 4090'] }],
  ['# 1x T4', { 'gpu.name': ['T4'] }],
  ['# jetson orin nano', { 'gpu.name': ['jetson orin nano'], 'os.platform': ['jetson'] }],
  ['# port 4090 was taken', { 'gpu.name': [] }],
  ['# DGX Spark', { 'gpu.name': ['NVIDIA GB10'], 'fabric.nvswitch': [] }],
  ['# WSL2 on a laptop', { 'os.platform': ['wsl'] }],
  ['# kernel 5.10.23, systemd 239', { 'os.kernel': ['5.10.23'] }],
  [
    '# python 3.11, numba 0.57.0, cuda-python 12.1.0',
    { 'framework.version': [{ name: 'numba', version: '0.57.0' }], 'toolkit.runtime': [] },
  ],
  [
    'claim: torch 2.2.0 built for cu121 runs on driver 525.60.13',
    { 'torch.version': ['2.2.0'], 'torch.cuda': ['12.1'], 'driver.version': ['525.60.13'] },
  ],
];

describe('what a person says is told, never printed', () => {
  test.each(rows)('%s', (text, expected) => {
    const found = table(`${text}\n`);
    for (const [id, values] of Object.entries(expected)) {
      expect({ [id]: found[`told:${id}`] ?? [] }).toEqual({ [id]: values });
      if (id !== 'claim') expect({ [id]: found[id] ?? [] }).toEqual({ [id]: [] });
    }
  });

  test('a command in a remark is no statement', () => {
    expect(table('# nvidia-smi -L\nGPU 0: Tesla T4 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n')).toMatchObject({
      'gpu.name': ['Tesla T4'],
      'gpu.count': [1],
    });
  });
});

describe('claims', () => {
  test.each([
    'claim: the stack is fine',
    'Copies from pageable memory overlap with kernels as long as they are issued on different streams.',
    'You need a newer driver for every new CUDA toolkit.\nA container brings its own driver.',
  ])('%s', (text) => {
    expect(table(`${text}\n`)['claim']).toEqual([text.replace(/^claim: /, '').replace('\n', ' ')]);
  });

  test.each([
    'RuntimeError: CUDA error: no kernel image is available for execution on the device',
    'CUDA driver version is insufficient for CUDA runtime version',
    'Failed to initialize NVML: Driver/library version mismatch',
    '$ nvidia-smi\nNo devices were found',
    'NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x63:0x56:1689)',
    'The moon is made of green cheese and everybody knows that.',
  ])('none in: %s', (text) => {
    expect(table(`${text}\n`)['claim']).toBeUndefined();
  });
});
