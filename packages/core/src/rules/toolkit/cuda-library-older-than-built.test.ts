import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cudaLibraryOlderThanBuilt } from './cuda-library-older-than-built.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when another framework has the GPU and the program goes on without it',
    'fault proved',
    'CUDA backend failed to initialize: Unable to use CUDA because of the following issues with CUDA components:\nOutdated cuSPARSE installation found.\nVersion JAX was built against: 12200\nMinimum supported: 12100\nInstalled version: 12002\nGPU available: True (cuda), used: True\nstep 100 loss 2.31 1.1 it/s\nstep 200 loss 2.02 1.2 it/s',
  ],
  [
    'cleared when JAX itself finds its GPU later',
    'cleared',
    'CUDA backend failed to initialize: Unable to use CUDA because of the following issues with CUDA components:\nOutdated cuSPARSE installation found.\nVersion JAX was built against: 12200\nMinimum supported: 12100\nInstalled version: 12002\n[CudaDevice(id=0)]',
  ],
  [
    'fault when the CUDA runtime is older',
    'fault proved',
    "Unable to initialize backend 'cuda': Found CUDA version 12010, but JAX was built against version 12020, which is newer.",
  ],
  [
    'fault when the newer form of the message says so',
    'fault proved',
    'RuntimeError: Unable to use CUDA because of the following issues with CUDA components:\nOutdated cuSPARSE installation found.\nVersion JAX was built against: 12500\nMinimum supported: 12100\nInstalled version: 12002\nThe local installation version must be no lower than 12100.',
  ],
  [
    'silent when it is cuDNN',
    'silent',
    'Outdated cuDNN installation found.\nVersion JAX was built against: 90300\nMinimum supported: 9100\nInstalled version: 8904',
  ],
];

describe('toolkit/cuda-library-older-than-built', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cudaLibraryOlderThanBuilt, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
