import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostDriverNotLoaded } from './host-driver-not-loaded.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with nvidia-smi on the host',
    'fault proved',
    "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown\n$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  [
    'fault proved where a probe sees a GPU and no module',
    'fault proved',
    "@culprit-probe 1 - root=/ pid=- gate=no\n@ modules lsmod | grep -E 'nvidia|nouveau'\n@= exit=1 ms=0\n@ pci-devices lspci -Dnn -d 10de: -k -vv\n|0000:19:00.0 class=0x030200 device=0x2330 driver=none\n@= exit=0 ms=0\n@culprit-end sections=2 ms=1",
  ],
  [
    'silent where the GPU was handed to a virtual machine',
    'silent',
    "@culprit-probe 1 - root=/ pid=- gate=no\n@ modules lsmod | grep -E 'nvidia|nouveau'\n@= exit=1 ms=0\n@ pci-devices lspci -Dnn -d 10de: -k -vv\n|0000:19:00.0 class=0x030200 device=0x2330 driver=vfio-pci\n@= exit=0 ms=0\n@culprit-end sections=2 ms=1",
  ],
  [
    'silent on a mismatch',
    'silent',
    'nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown',
  ],
];

describe('driver/host-driver-not-loaded', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostDriverNotLoaded, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
