import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclOlderShadowsBundled } from './nccl-older-shadows-bundled.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved when NCCL states both releases',
    'fault proved',
    'NCCL WARN NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.27.3.',
  ],
  [
    'likely on the loader message alone',
    'fault likely',
    'ImportError: /x/torch/lib/libtorch_cuda.so: undefined symbol: ncclMemAlloc',
  ],
  ['silent on another missing name', 'silent', 'ImportError: x.so: undefined symbol: foo'],
];

describe('nccl/nccl-older-shadows-bundled', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclOlderShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'older comes first',
      'fault proved',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2 version=2.21.5 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2=2.26.2',
    ],
    [
      'near: newer comes first',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2 version=99.0.0 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2=2.26.2',
    ],
    [
      'near: its own',
      'cleared',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2 version=2.26.2 by=RPATH others=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2=2.21.5',
    ],
    [
      'near: no version is known',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libnccl.so.2 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnccl.so.2 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2=2.26.2',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclOlderShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
