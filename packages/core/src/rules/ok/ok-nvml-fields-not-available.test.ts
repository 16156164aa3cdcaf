import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okNvmlFieldsNotAvailable } from './ok-nvml-fields-not-available.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for a Jetson',
    'cleared',
    'nvidia@jetson:~$ nvidia-smi\n+---------------------------------------------------------------------------------------+\n| NVIDIA-SMI 540.4.0                Driver Version: 540.4.0      CUDA Version: 12.6     |\n|-----------------------------------------+----------------------+----------------------+\n|=========================================+======================+======================|\n|   0  Orin (nvgpu)                  N/A  | N/A              N/A |                  N/A |\n| N/A   N/A  N/A               N/A /  N/A | Not Supported        |     N/A          N/A |\n+-----------------------------------------+----------------------+----------------------+',
  ],
  [
    'silent on a server',
    'silent',
    '$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000000)',
  ],
];

describe('ok/ok-nvml-fields-not-available', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okNvmlFieldsNotAvailable, text).kind).toBe(expected);
  });
});
