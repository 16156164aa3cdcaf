import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { applicationOutOfMemory } from './application-out-of-memory.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the pool of CUDA.jl fills the GPU',
    'fault proved',
    'ERROR: LoadError: Out of GPU memory trying to allocate 11.921 GiB\nEffective GPU memory usage: 99.85% (15.758 GiB/15.782 GiB)\nMemory pool usage: 13.411 GiB (15.281 GiB reserved)',
  ],
  [
    'fault likely when CuPy finds no room',
    'fault likely',
    'cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,589,934,592 bytes (allocated so far: 12,884,901,888 bytes).',
  ],
  [
    'fault likely when the next request goes well',
    'fault likely',
    'got prompt\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.49 GiB.\ngot prompt\n100%|##########| 20/20 [00:02<00:00,  9.80it/s]',
  ],
  [
    'cleared when the same request goes on',
    'cleared',
    'got prompt\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.49 GiB.\n100%|##########| 20/20 [00:02<00:00,  9.80it/s]',
  ],
  [
    'silent when the driver is not even initialised',
    'silent',
    'numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuInit results in CUDA_ERROR_OUT_OF_MEMORY',
  ],
  [
    'likely when cuDNN finds no room on a full GPU',
    'fault likely',
    'RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n$ nvidia-smi --query-gpu=memory.used,memory.total --format=csv,noheader\n24131 MiB, 24564 MiB',
  ],
  [
    'fault proved when the process holds the card, old wording',
    'fault proved',
    'RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity; 6.71 GiB already allocated; 6.94 MiB free; 6.87 GiB reserved in total by PyTorch)',
  ],
  [
    'fault proved when one request is larger than the card',
    'fault proved',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 96.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 78.20 GiB is free. Of the allocated memory 0.10 GiB is allocated by PyTorch, and 12.00 MiB is reserved by PyTorch but unallocated.',
  ],
  [
    'only possible when the card is held by others',
    'fault possible',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 6.94 MiB is free. Of the allocated memory 0.10 GiB is allocated by PyTorch, and 12.00 MiB is reserved by PyTorch but unallocated.',
  ],
  [
    'fault likely without numbers',
    'fault likely',
    'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.',
  ],
  ['silent when the host ran out', 'silent', 'Out of memory: Killed process 771203 (python3)'],
];

describe('application/application-out-of-memory', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(applicationOutOfMemory, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
