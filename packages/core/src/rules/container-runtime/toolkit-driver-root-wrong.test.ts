import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { toolkitDriverRootWrong } from './toolkit-driver-root-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the specification is made from an empty root',
    'fault proved',
    '$ nvidia-ctk cdi generate --driver-root=/run/nvidia/driver\nERRO[0000] failed to generate CDI spec: failed to create device CDI specs: failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND\n$ nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000001)',
  ],
  [
    'fault proved when the driver is under the root of a driver container and / is set',
    'fault proved',
    'nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory: unknown\n$ grep root /etc/nvidia-container-runtime/config.toml\nroot = "/"\n$ ls /run/nvidia/driver/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n/run/nvidia/driver/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1',
  ],
  [
    'cleared when the library is in no package of the host',
    'cleared',
    "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory\n$ find / -name 'libnvidia-ml.so*'\n$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024",
  ],
  ['silent without the container tool', 'silent', 'RuntimeError: Found no NVIDIA driver on your system.'],
  [
    'a root that is not there',
    'fault proved',
    'nvidia-container-cli: initialization error: change root failed: no such file or directory: unknown.\n$ cat /etc/nvidia-container-runtime/config.toml\n[nvidia-container-cli]\nroot = "/run/nvidia/driver"\n$ nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-11112222-3333-4444-5555-666677778888)',
  ],
  [
    'the message alone',
    'fault likely',
    'nvidia-container-cli: initialization error: change root failed: no such file or directory',
  ],
];

describe('container-runtime/toolkit-driver-root-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(toolkitDriverRootWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
