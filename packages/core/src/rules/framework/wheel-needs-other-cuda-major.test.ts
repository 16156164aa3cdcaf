import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { wheelNeedsOtherCudaMajor } from './wheel-needs-other-cuda-major.ts';

const cases: readonly (readonly [string, string, string])[] = [
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
