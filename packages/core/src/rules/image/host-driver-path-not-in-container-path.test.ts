import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostDriverPathNotInContainerPath } from './host-driver-path-not-in-container-path.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely in the usual folder without the variable',
    'fault likely',
    'RuntimeError: Found no NVIDIA driver on your system.\n$ ls /usr/local/nvidia/lib64/libcuda.so.1\n/usr/local/nvidia/lib64/libcuda.so.1',
  ],
  [
    'fault proved for nvidia-smi and PATH',
    'fault proved',
    'bash: nvidia-smi: command not found\n$ ls /usr/local/nvidia/bin/nvidia-smi\n/usr/local/nvidia/bin/nvidia-smi\n$ printenv PATH\n/usr/local/bin:/usr/bin:/bin',
  ],
  [
    'silent when libcuda is in a system folder',
    'silent',
    'RuntimeError: No CUDA GPUs are available\n$ ls /usr/lib/x86_64-linux-gnu/libcuda.so.1\n/usr/lib/x86_64-linux-gnu/libcuda.so.1',
  ],
];

describe('image/host-driver-path-not-in-container-path', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostDriverPathNotInContainerPath, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
