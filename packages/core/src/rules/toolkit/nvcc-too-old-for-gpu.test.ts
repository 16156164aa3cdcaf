import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvccTooOldForGpu } from './nvcc-too-old-for-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved in the build of a package that runs ninja',
    'fault proved',
    'nvcc fatal   : Unsupported gpu architecture \'compute_120\'\n        File "/e/torch/utils/cpp_extension.py", line 2104, in _run_ninja_build\n  ERROR: Failed building wheel for fastkern',
  ],
  [
    'proved by the number alone, current toolkits know it',
    'fault proved',
    "nvcc fatal   : Unsupported gpu architecture 'compute_120'",
  ],
  [
    'proved by the release of nvcc',
    'fault proved',
    "Cuda compilation tools, release 11.6, V11.6.124\nnvcc fatal   : Unsupported gpu architecture 'compute_89'",
  ],
  [
    'proved for an a target of an older toolkit',
    'fault proved',
    "nvcc fatal   : Unsupported gpu architecture 'compute_90a'",
  ],
  [
    'cleared when kernels are compiled at run time',
    'cleared',
    "FAILED: /root/.cache/flashinfer/90/cached_ops/x.cuda.o\nnvcc fatal   : Unsupported gpu architecture 'compute_120a'",
  ],
  ['silent on another fatal', 'silent', "nvcc fatal   : Unknown option '--foo'"],
];

describe('toolkit/nvcc-too-old-for-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvccTooOldForGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
