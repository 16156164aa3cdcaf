import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { exclusiveComputeMode } from './exclusive-compute-mode.ts';

describe('driver/exclusive-compute-mode', () => {
  it.each([
    [
      'fault when the mode is exclusive and a second context is refused',
      'CUDA error: all CUDA-capable devices are busy or unavailable\n$ nvidia-smi -q -d COMPUTE\n    Compute Mode                          : Exclusive_Process',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when the mode is Default',
      'CUDA error: all CUDA-capable devices are busy or unavailable\n$ nvidia-smi -q -d COMPUTE\n    Compute Mode                          : Default',
      { kind: 'cleared' },
    ],
    [
      'possible when the mode is not known',
      'CUDA error: all CUDA-capable devices are busy or unavailable',
      { kind: 'fault', certainty: 'possible' },
    ],
    [
      'silent when the mode is exclusive and nothing fails',
      '$ nvidia-smi -q -d COMPUTE\n    Compute Mode                          : Exclusive_Process',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(exclusiveComputeMode, text)).toMatchObject(answer);
  });
});
