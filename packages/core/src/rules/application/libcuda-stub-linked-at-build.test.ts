import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { libcudaStubLinkedAtBuild } from './libcuda-stub-linked-at-build.ts';

describe('application/libcuda-stub-linked-at-build', () => {
  it.each([
    [
      'fault when the run path names the stubs',
      'CUDA error: CUDA driver is a stub library\n 0x000000000000001d (RUNPATH)            Library runpath: [/usr/local/cuda/lib64/stubs]',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when the environment names them',
      'CUDA error: CUDA driver is a stub library\n$ echo $LD_LIBRARY_PATH\n/usr/local/cuda/lib64/stubs:/usr/local/cuda/lib64',
      { kind: 'cleared' },
    ],
    [
      'possible when the message stands alone',
      'CUDA error: CUDA driver is a stub library',
      { kind: 'fault', certainty: 'possible' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(libcudaStubLinkedAtBuild, text)).toMatchObject(answer);
  });
});
