import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { libcudaStubOnPath } from './libcuda-stub-on-path.ts';

describe('host-os/libcuda-stub-on-path', () => {
  it.each([
    [
      'fault when the environment names the stubs',
      'CUDA error: CUDA driver is a stub library\n$ echo $LD_LIBRARY_PATH\n/usr/local/cuda/lib64/stubs:/usr/local/cuda/lib64',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the message stands alone',
      'CUDA error: CUDA driver is a stub library',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'silent when the run path of the program names them',
      'CUDA error: CUDA driver is a stub library\n 0x000000000000001d (RUNPATH)            Library runpath: [/usr/local/cuda/lib64/stubs]',
      { kind: 'silent' },
    ],
    [
      'silent when a search merely lists the stub',
      '$ find / -name libcuda.so\n/usr/local/cuda-12.4/targets/x86_64-linux/lib/stubs/libcuda.so',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(libcudaStubOnPath, text)).toMatchObject(answer);
  });
});
