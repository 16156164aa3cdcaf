import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cdiSpecStale } from './cdi-spec-stale.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the missing file alone',
    'fault likely',
    'docker: Error response from daemon: failed to create shim task: error mounting "/usr/lib/libcuda.so.570.86.10" to rootfs at "/usr/lib/libcuda.so.570.86.10": no such file or directory',
  ],
  [
    'fault proved when the specification offers other devices',
    'fault proved',
    'CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=3\n$ nvidia-ctk cdi list\nnvidia.com/gpu=0\nnvidia.com/gpu=1\nnvidia.com/gpu=all',
  ],
  [
    'fault likely when a node is named that is gone',
    'fault likely',
    'failed to inject CDI devices: failed to inject devices: failed to stat CDI host device "/dev/nvidia3": no such file or directory',
  ],
  [
    'fault though Fabric Manager’s package has the release of the specification',
    'fault likely',
    '$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n$ dpkg -l | grep nvidia\nii  nvidia-fabricmanager-570  570.86.15-1  amd64  Fabric Manager\nii  libnvidia-compute-580  580.95.05-0ubuntu1  amd64  libs\n$ grep libcuda /etc/cdi/nvidia.yaml\n    - hostPath: /usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15',
  ],
  [
    'fault though packages of the old driver left their configuration',
    'fault likely',
    '$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n$ dpkg -l | grep nvidia\nrc  libnvidia-compute-570  570.86.15-0ubuntu1  amd64  libs\n$ grep libcuda /etc/cdi/nvidia.yaml\n    - hostPath: /usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15',
  ],
  [
    'fault where only one of two specifications is old',
    'fault likely',
    '$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n$ grep libcuda /etc/cdi/nvidia.yaml\n    - hostPath: /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\n$ grep libcuda /var/run/cdi/nvidia.yaml\n    - hostPath: /usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15',
  ],
  [
    'cleared where the specification is of the driver in memory, whatever else is of another release',
    'cleared',
    '$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n$ dpkg -l | grep nvidia\nii  nvidia-fabricmanager-570  570.86.15-1  amd64  Fabric Manager\n$ grep libcuda /etc/cdi/nvidia.yaml\n    - hostPath: /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05',
  ],
  [
    'silent on a missing file of the user',
    'silent',
    "Error: crun: error stat'ing file `/srv/data/model.bin`: No such file or directory",
  ],
];

describe('container-runtime/cdi-spec-stale', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cdiSpecStale, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
