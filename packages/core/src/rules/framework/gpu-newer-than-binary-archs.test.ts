import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuNewerThanBinaryArchs } from './gpu-newer-than-binary-archs.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved when every attention operator ends below the GPU',
    'fault proved',
    'NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n     query       : shape=(1, 64, 8, 64) (torch.float16)\n`fa2F@2.5.7-pt` is not supported because:\n    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)\n`cutlassF-pt` is not supported because:\n    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)',
  ],
  [
    'silent when one operator takes the GPU and refuses the inputs',
    'silent',
    "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n     query       : shape=(1, 64, 8, 64) (torch.float16)\n`fa3F@0.0.0` is not supported because:\n    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)\n`cutlassF-pt` is not supported because:\n    attn_bias type is <class 'torch.Tensor'>",
  ],
  [
    'proved when TensorRT names a GPU that it does not know',
    'fault proved',
    '[E] Error[9]: IBuilder::buildSerializedNetwork: Error Code 9: API Usage Error (Target GPU SM 120 is not supported by this TensorRT release.)',
  ],
  [
    'proved by the older form of TensorRT',
    'fault proved',
    '[TRT] [E] 1: [caskUtils.cpp::trtSmToCask::147] Error Code 1: Internal Error (Unsupported SM: 0x809)',
  ],
  [
    'cleared when TensorRT dropped the GPU',
    'cleared',
    '[TRT] [E] 1: [caskUtils.cpp::trtSmToCask::193] Error Code 1: Internal Error (Unsupported SM: 0x601)',
  ],
  [
    'likely when the PTX that a framework falls back to is refused',
    'fault likely',
    "W0000 gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.\n'cuModuleLoadData(&module, data)' failed with 'CUDA_ERROR_INVALID_PTX'",
  ],
  [
    'likely when bitsandbytes finds no kernel on a new GPU',
    'fault likely',
    'Error named symbol not found at line 449 in file /src/csrc/ops.cu\n$ nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader\nNVIDIA GeForce RTX 5080, 12.0',
  ],
  [
    'proved by the list that the warning prints',
    'fault proved',
    'NVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_80 sm_86 sm_90.',
  ],
  [
    'likely for the newest generation when only the GPU is known',
    'fault likely',
    'GPU 0: NVIDIA GeForce RTX 5070 (UUID: GPU-11111111-2222-3333-4444-555555555555)\nCUDA error: no kernel image is available for execution on the device',
  ],
  [
    'cleared on a warning that has no effect, same major',
    'cleared',
    'NVIDIA GB10 with CUDA capability sm_121 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_80 sm_90 sm_100 sm_120.',
  ],
  ['silent on another CUDA error', 'silent', 'CUDA error: an illegal memory access was encountered'],
];

describe('framework/gpu-newer-than-binary-archs', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuNewerThanBinaryArchs, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
