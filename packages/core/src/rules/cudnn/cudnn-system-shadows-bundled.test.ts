import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cudnnSystemShadowsBundled } from './cudnn-system-shadows-bundled.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'likely when torch itself points at the path',
    'fault likely',
    'cuDNN version incompatibility: PyTorch was compiled  against (8, 9, 2) but found runtime version (8, 5, 0). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure PyTorch can find the bundled cuDNN. Looks like your LD_LIBRARY_PATH contains incompatible version of cudnn.',
  ],
  [
    'likely when parts of two releases meet',
    'fault likely',
    'RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH',
  ],
  ['silent when memory ran out', 'silent', 'cuDNN error: CUDNN_STATUS_ALLOC_FAILED'],
];

describe('cudnn/cudnn-system-shadows-bundled', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cudnnSystemShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'older comes first',
      'fault proved',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libcudnn.so.9 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudnn.so.9 version=9.1.0 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9=9.5.1',
    ],
    [
      'near: newer comes first',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libcudnn.so.9 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudnn.so.9 version=99.0.0 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9=9.5.1',
    ],
    [
      'near: its own',
      'cleared',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libcudnn.so.9 path=/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9 version=9.5.1 by=RPATH others=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudnn.so.9=9.1.0',
    ],
    [
      'near: no version is known',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so soname=libcudnn.so.9 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudnn.so.9 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9=9.5.1',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(cudnnSystemShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
