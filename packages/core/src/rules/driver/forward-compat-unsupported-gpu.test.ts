import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { forwardCompatUnsupportedGpu } from './forward-compat-unsupported-gpu.ts';

describe('driver/forward-compat-unsupported-gpu', () => {
  it.each([
    [
      'fault on a GeForce',
      'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW\nGPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-11111111-2222-3333-4444-555555555555)',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the GPU is not known',
      'CUDA error 804: forward compatibility was attempted on non supported HW',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'cleared on a data-center GPU',
      'CUDA error 804: forward compatibility was attempted on non supported HW\nGPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-555555555555)',
      { kind: 'cleared' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(forwardCompatUnsupportedGpu, text)).toMatchObject(answer);
  });
});
