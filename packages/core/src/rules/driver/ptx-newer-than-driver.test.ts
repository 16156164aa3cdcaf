import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ptxNewerThanDriver } from './ptx-newer-than-driver.ts';

describe('driver/ptx-newer-than-driver', () => {
  it.each([
    [
      'fault when the driver names both versions',
      "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.4; current version is '8.2'",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'fault when toolkit and driver are known',
      'CUDA error: the provided PTX was compiled with an unsupported toolchain.\n$ nvcc --version\nCuda compilation tools, release 12.6, V12.6.85\n| NVIDIA-SMI 535.54.03              Driver Version: 535.54.03      CUDA Version: 12.2     |',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the message stands alone',
      'CUDA error: the provided PTX was compiled with an unsupported toolchain.',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'possible when a stand-alone ptxas refuses a file',
      "ptxas /tmp/x.ptx, line 9; fatal   : Unsupported .version 8.4; current version is '8.2'",
      { kind: 'fault', certainty: 'possible' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(ptxNewerThanDriver, text)).toMatchObject(answer);
  });
});
