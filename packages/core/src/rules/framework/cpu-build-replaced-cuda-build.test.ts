import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cpuBuildReplacedCudaBuild } from './cpu-build-replaced-cuda-build.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when torch had CUDA before and has none now',
    'fault proved',
    '$ python -c "import torch; print(torch.__version__, torch.version.cuda)"\n2.4.1+cu121 12.1\n$ pip install somepackage\n$ python -c "import torch; print(torch.__version__, torch.version.cuda)"\n2.4.1+cpu None',
  ],
  [
    'fault proved in a conda change',
    'fault proved',
    '  pytorch             2.1.0-py3.10_cuda11.8_cudnn8.7.0_0 --> 2.1.0-cpu_generic_py310h_0',
  ],
  ['silent on a CPU build that was always there', 'silent', 'AssertionError: Torch not compiled with CUDA enabled'],
];

describe('framework/cpu-build-replaced-cuda-build', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cpuBuildReplacedCudaBuild, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
