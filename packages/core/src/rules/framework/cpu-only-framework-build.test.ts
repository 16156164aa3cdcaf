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

describe('an image that was read', () => {
  it.each([
    [
      'torch',
      'fault proved',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true\nimage package name=torch version=2.7.0+cpu environment=/usr manager=pip cuda=none',
    ],
    [
      'tensorflow',
      'fault proved',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage variable name=CUDA_VERSION value=12.6.2\nimage package name=tensorflow-cpu version=2.17.0 environment=/opt/venv manager=pip cuda=none',
    ],
    [
      'near: nothing else for a GPU',
      'cleared',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=false\nimage package name=torch version=2.7.0+cpu environment=/usr manager=pip cuda=none',
    ],
    [
      'near: another program uses the GPU',
      'fault possible',
      'image scanned reference=x platform=linux/amd64 complete=true gpu=true\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 nvcc=false\nimage package name=torch version=2.7.0+cpu environment=/usr manager=pip cuda=none\nimage package name=onnxruntime-gpu version=1.20.1 environment=/usr manager=pip',
    ],
    [
      'near: another framework has CUDA',
      'fault possible',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true\nimage package name=torch version=2.7.0+cpu environment=/opt/a manager=pip cuda=none\nimage package name=tensorflow version=2.17.0 environment=/opt/b manager=pip cuda=12.3',
    ],
    [
      'near: built for CUDA',
      'cleared',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage toolkit version=12.6 path=/usr/local/cuda-12.6 cudart=12.6.77 nvcc=true\nimage package name=torch version=2.7.0+cu126 environment=/usr manager=pip cuda=12.6',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(cpuOnlyFrameworkBuild, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
