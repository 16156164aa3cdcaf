import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverBelowToolkitMinimum } from './driver-below-toolkit-minimum.ts';

describe('driver/driver-below-toolkit-minimum', () => {
  it.each([
    [
      'fault when a solver names what it needs and what the driver serves',
      '  - package cudatoolkit-11.3.1-h9edb442_10 has constraint __cuda >=11.3 conflicting with __cuda-10.1-0',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when a solver finds no CUDA new enough and nvidia-smi names an older one',
      '          └─ __cuda >=12 *, which is missing on the system.\n$ nvidia-smi | grep Driver\n| NVIDIA-SMI 470.223.02   Driver Version: 470.223.02   CUDA Version: 11.4     |',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when libcuda lacks a call',
      './bin/miner: symbol lookup error: /usr/lib/x86_64-linux-gnu/libcuda.so.418.226.00: undefined symbol: cuGetProcAddress_v2',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault from a collect_env whose driver is of an older CUDA major',
      'PyTorch version: 2.4.0+cu121\nCUDA used to build PyTorch: 12.1\nIs CUDA available: False\nNvidia driver version: 470.82.01',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when the build is below the floor of its branch',
      'PyTorch version: 2.4.0+cu121\nCUDA used to build PyTorch: 12.1\nIs CUDA available: False\nNvidia driver version: 525.47.24',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared by minor version compatibility',
      'PyTorch version: 2.4.0+cu124\nCUDA used to build PyTorch: 12.4\nIs CUDA available: False\nNvidia driver version: 535.183.01',
      { kind: 'cleared' },
    ],
    [
      'fault before CUDA 11, where each toolkit has its own floor',
      'CUDA driver version is insufficient for CUDA runtime version\nCUDA used to build PyTorch: 10.2\nNvidia driver version: 418.87.00',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the program names what it found',
      'RuntimeError: The NVIDIA driver on your system is too old (found version 11040).',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'possible when error 35 stands alone',
      'CUDA error 35: CUDA driver version is insufficient for CUDA runtime version',
      { kind: 'fault', certainty: 'possible' },
    ],
    [
      'silent when the program works, whatever the table says',
      'PyTorch version: 2.4.0+cu121\nCUDA used to build PyTorch: 12.1\nIs CUDA available: True\nNvidia driver version: 470.82.01',
      { kind: 'silent' },
    ],
    [
      'fault when the program prints both CUDA versions',
      'CUDA version 12.1 is not compatible with these engines. Required version: 12.4',
      { kind: 'fault', certainty: 'proved' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(driverBelowToolkitMinimum, text)).toMatchObject(answer);
  });
});
