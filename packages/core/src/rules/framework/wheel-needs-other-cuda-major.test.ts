import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { wheelNeedsOtherCudaMajor } from './wheel-needs-other-cuda-major.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved when bitsandbytes has no binary for the CUDA of torch',
    'fault proved',
    "Could not find the bitsandbytes CUDA binary at PosixPath('/e/bitsandbytes/libbitsandbytes_cuda130.so')",
  ],
  [
    'proved by its older words',
    'fault proved',
    'CUDA SETUP: Required library version not found: libbitsandbytes_cuda124.so. Maybe you need to compile it from source?',
  ],
  [
    'proved when torch is of another major',
    'fault proved',
    '$ pip list\ntorch 2.3.1+cu118\n$ python app.py\nImportError: libcudart.so.12: cannot open shared object file: No such file or directory',
  ],
  [
    'proved for cuDNN by its package',
    'fault proved',
    '$ pip list\nnvidia-cudnn-cu12 9.1.0.70\n$ python app.py\nCould not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory',
  ],
  [
    'proved when a provider names the majors it wants',
    'fault proved',
    'Failed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 12.*, and the latest MSVC runtime.\n$ pip list\nnvidia-cudnn-cu11 8.9.5.29',
  ],
  [
    'silent on a library of another kind',
    'silent',
    'ImportError: libGL.so.1: cannot open shared object file: No such file or directory',
  ],
];

describe('framework/wheel-needs-other-cuda-major', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(wheelNeedsOtherCudaMajor, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'extension',
      'fault proved',
      'image package name=torch version=2.7.0+cu126 environment=/opt/venv manager=pip cuda=12.6\nimage package name=flash-attn version=2.8.0+cu11torch2.7 environment=/opt/venv manager=pip cuda=11',
    ],
    [
      'CuPy',
      'fault proved',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage package name=cupy-cuda11x version=13.3.0 environment=/usr manager=pip cuda=11\nimage library name=cudart version=12.6.77 path=/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12.6.77 soname=libcudart.so.12 wins=true',
    ],
    [
      'near: another environment',
      'silent',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage package name=torch version=2.7.0+cu126 environment=/opt/a manager=pip cuda=12.6\nimage package name=xformers version=0.0.29+cu118 environment=/opt/b manager=pip cuda=11.8',
    ],
    [
      'near: another minor',
      'silent',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage package name=torch version=2.7.0+cu126 environment=/opt/a manager=pip cuda=12.6\nimage package name=xformers version=0.0.30+cu128 environment=/opt/a manager=pip cuda=12.8',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(wheelNeedsOtherCudaMajor, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
