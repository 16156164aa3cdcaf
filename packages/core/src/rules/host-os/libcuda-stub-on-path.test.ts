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

describe('an image that was read', () => {
  it.each([
    [
      'under its run-time name',
      'fault proved',
      'image search by=ld.so.conf folder=/usr/local/cuda/lib64/stubs file=/etc/ld.so.conf.d/cuda.conf:2 holds=stub first=true',
    ],
    [
      'ldconfig will name it',
      'fault likely',
      'image search by=ld.so.conf folder=/usr/local/cuda/lib64/stubs file=/etc/ld.so.conf.d/cuda.conf:2 holds=stub-unnamed first=true',
    ],
    [
      'near: no program asks for that name',
      'fault possible',
      'image search by=LD_LIBRARY_PATH folder=/usr/local/cuda/lib64/stubs holds=stub-unnamed first=true',
    ],
    [
      'near: its usual place',
      'cleared',
      'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage libcuda kind=stub path=/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs/libcuda.so bytes=65000',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(libcudaStubOnPath, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
