import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okNoGpuHere } from './ok-no-gpu-here.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared where the device plugin waits on a node without one',
    'cleared',
    'E1130 08:00:01.124200       1 factory.go:112] Incompatible strategy detected auto\nE1130 08:00:01.124300       1 factory.go:113] If this is a GPU node, did you configure the NVIDIA Container Toolkit?\nE1130 08:00:01.124600       1 factory.go:116] If this is not a GPU node, you should set up a toleration or nodeSelector to only deploy this plugin on GPU nodes\nI1130 08:00:01.124700       1 main.go:381] No devices found. Waiting indefinitely.\n$ lspci -nn | grep -i nvidia\n$ uname -r\n6.8.0',
  ],
  [
    'silent where the device plugin waits beside a GPU',
    'silent',
    'E1130 08:00:01.124200       1 factory.go:112] Incompatible strategy detected auto\nE1130 08:00:01.124300       1 factory.go:113] If this is a GPU node, did you configure the NVIDIA Container Toolkit?\nE1130 08:00:01.124600       1 factory.go:116] If this is not a GPU node, you should set up a toleration or nodeSelector to only deploy this plugin on GPU nodes\nI1130 08:00:01.124700       1 main.go:381] No devices found. Waiting indefinitely.\n$ lspci | grep -i nvidia\n3b:00.0 3D controller: NVIDIA Corporation TU104GL [Tesla T4] (rev a1)',
  ],
  ['silent where a paste alone says that the bus has none', 'silent', '$ lspci | grep -i nvidia\n$ uname -r\n6.8.0'],
  [
    'cleared where the bus has none and nothing asks',
    'cleared',
    '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ pci-devices lspci -Dnn -d 10de: -k -vv\n@= exit=0 ms=0\n@culprit-end sections=1 ms=10',
  ],
  [
    'cleared where a container runtime says void',
    'cleared',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ pci-devices lspci -Dnn -d 10de: -k -vv\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|NVIDIA_VISIBLE_DEVICES=void\n@= exit=0 ms=0\n@culprit-end sections=2 ms=10",
  ],
  [
    'silent where the environment asks for GPUs',
    'silent',
    "@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ pci-devices lspci -Dnn -d 10de: -k -vv\n@= exit=0 ms=0\n@ environment env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'\n|NVIDIA_VISIBLE_DEVICES=all\n@= exit=0 ms=0\n@culprit-end sections=2 ms=10",
  ],
  [
    'silent where the driver is there',
    'silent',
    '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ pci-devices lspci -Dnn -d 10de: -k -vv\n@= exit=0 ms=0\n@ sys-module-version cat /sys/module/nvidia/version\n|580.95.05\n@= exit=0 ms=0\n@culprit-end sections=2 ms=10',
  ],
  [
    'silent on WSL, whose GPU is on no bus',
    'silent',
    '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n@ pci-devices lspci -Dnn -d 10de: -k -vv\n@= exit=0 ms=0\n@ machine cat /sys/class/dmi/id/product_name /proc/device-tree/model\n|/dev/dxg\n@= exit=0 ms=0\n@culprit-end sections=2 ms=10',
  ],
  [
    'unknown without a look at the bus',
    'unknown',
    "$ ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory",
  ],
];

describe('ok/ok-no-gpu-here', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okNoGpuHere, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
