import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cpuOnlyFrameworkBuild } from './cpu-only-framework-build.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the machine has a GPU',
    'fault proved',
    '$ python -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"\n2.7.0+cpu None False\n$ nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000001)',
  ],
  [
    'fault proved for XGBoost',
    'fault proved',
    'xgboost.core.XGBoostError: XGBoost version not compiled with GPU support.',
  ],
  [
    'fault proved when a build option is off',
    'fault proved',
    'warning: no usable GPU found, --gpu-layers option will be ignored\nGGML_CUDA:BOOL=OFF',
  ],
  [
    'silent when the build is one reason of several',
    'silent',
    'warning: one possible reason is that llama.cpp was compiled without GPU support',
  ],
];

describe('framework/cpu-only-framework-build', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cpuOnlyFrameworkBuild, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
