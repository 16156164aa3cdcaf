import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuOlderThanBinaryArchs } from './gpu-older-than-binary-archs.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved when every attention operator begins above the GPU',
    'fault proved',
    'NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n     query       : shape=(1, 64, 8, 64) (torch.float16)\n`fa2F@2.5.7-pt` is not supported because:\n    requires device with capability >= (8, 0) but your GPU has capability (6, 1) (too old)\n`cutlassF-pt` is not supported because:\n    requires device with capability >= (7, 0) but your GPU has capability (6, 1) (too old)',
  ],
  ['proved when TensorRT dropped the GPU', 'fault proved', '[TRT] [E] 1: Unsupported SM: 0x601'],
  [
    'silent when the inputs are what the operators refuse',
    'silent',
    "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n     query       : shape=(1, 64, 8, 64) (torch.float16)\n`fa3F@0.0.0` is not supported because:\n    requires device with capability > (9, 0) but your GPU has capability (8, 6) (too old)\n    operator wasn't built - see `python -m xformers.info` for more info\n`cutlassF-pt` is not supported because:\n    attn_bias.stride(-2) % 8 != 0 (attn_bias.stride() = (1984032, 248004, 498, 1))",
  ],
  [
    'proved by the list of the build',
    'fault proved',
    'Tesla P100-PCIE-16GB with CUDA capability sm_60 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120.',
  ],
  [
    'proved by the range that a library names',
    'fault proved',
    'RuntimeError: Found Tesla P40 which is too old to be supported by the triton GPU compiler, which is used as the backend. Triton only supports devices of CUDA Capability >= 7.0, but your device is of CUDA capability 6.1',
  ],
  [
    'silent without a message about code',
    'silent',
    'GPU 0: Tesla K80 (UUID: GPU-11111111-2222-3333-4444-555555555555)',
  ],
];

describe('framework/gpu-older-than-binary-archs', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuOlderThanBinaryArchs, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
