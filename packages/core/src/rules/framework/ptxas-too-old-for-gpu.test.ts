import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ptxasTooOldForGpu } from './ptxas-too-old-for-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved when XLA falls back to the driver and that fails too',
    'fault proved',
    'Falling back to the CUDA driver for PTX compilation; ptxas does not support CC 8.9\nfailed to load PTX text as a module: CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid',
  ],
  [
    'silent when XLA falls back to the driver and goes on',
    'silent',
    'Falling back to the CUDA driver for PTX compilation; ptxas does not support CC 8.9\nEpoch 1/10\n300/300 [==============================] - 9s 22ms/step - loss: 0.5418',
  ],
  [
    'proved by an architecture that current toolkits know',
    'fault proved',
    "ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'",
  ],
  [
    'cleared when the PTX itself is too new',
    'cleared',
    "ptxas /tmp/tmpab12.ptx, line 5; fatal   : Unsupported .version 8.7; current version is '8.4'",
  ],
  [
    'cleared when a ptxas of another toolkit was called',
    'cleared',
    "TRITON_PTXAS_PATH=/usr/local/cuda-12.2/bin/ptxas\nptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'",
  ],
  [
    'silent on the JIT of the driver',
    'silent',
    "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.7; current version is '8.4'",
  ],
];

describe('framework/ptxas-too-old-for-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ptxasTooOldForGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
