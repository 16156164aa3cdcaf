import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { visibleDevicesOutOfRange } from './visible-devices-out-of-range.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved past the end of a list of devices',
    'fault proved',
    '  File "a.py", line 3, in <module>\n    d = jax.local_devices()[4]\nIndexError: list index out of range\n>>> jax.devices()\n[CudaDevice(id=0), CudaDevice(id=1)]',
  ],
  [
    'fault proved by Kokkos',
    'fault proved',
    "Error: Requested GPU with invalid id '2'. IDs must be in range [0,2). Raised by Kokkos::initialize().",
  ],
  [
    'fault when a checkpoint was saved on a GPU that is not here',
    'fault proved',
    'RuntimeError: Attempting to deserialize object on CUDA device 3 but torch.cuda.device_count() is 1. Please use torch.load with map_location',
  ],
  [
    'fault when llama.cpp is given a number beyond the count',
    'fault proved',
    'llama_model_load: error: invalid value for main_gpu: 2 (available devices: 2)',
  ],
  [
    'cleared when a GPU no longer answers',
    'cleared',
    'AssertionError: Invalid device id\n$ nvidia-smi\nUnable to determine the device handle for GPU 0000:81:00.0: GPU is lost.  Reboot the system to recover this GPU',
  ],
  ['only possible without a count', 'fault possible', 'AssertionError: Invalid device id'],
  [
    'only possible when one GPU of a full list may be gone',
    'fault possible',
    '$ echo CUDA_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICES\nCUDA_VISIBLE_DEVICES=0,1,2,3\n$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000000)\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000001)\nGPU 2: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000002)\nRuntimeError: CUDA error: invalid device ordinal',
  ],
];

describe('application/visible-devices-out-of-range', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(visibleDevicesOutOfRange, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
