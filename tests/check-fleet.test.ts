// Hosts as a fleet has them: what lies about on a healthy one is not blamed, and what is wrong is not covered by it.
import { describe, expect, it } from 'vitest';
import { examine } from '@culprit/core/diagnose/diagnose';
import { createDocument } from '@culprit/core/text/document';

const section = (source: string, command: string, ...lines: readonly string[]): string =>
  `@ ${source} ${command}\n${lines.map((line) => `|${line}\n`).join('')}@= exit=0 ms=1\n`;
const gpu = (address: string, driver = 'nvidia'): string => `${address} class=0x030200 device=0x2330 driver=${driver}`;
const bus = (...lines: readonly string[]): string => section('pci-devices', 'lspci -Dnn -d 10de: -k -vv', ...lines);
const torch = (folder: string, version: string, cuda: string): string =>
  section(
    'python-packages',
    `ls ${folder}/lib/python3.11/site-packages`,
    `torch-${version}.dist-info`,
    `torch/version.py: __version__ = '${version}'`,
    `torch/version.py: cuda: Optional[str] = ${cuda}`,
  );
const unit = (state: string, loaded = 'loaded'): string =>
  section(
    'services',
    'systemctl show -p Id,LoadState,ActiveState,SubState,Result nvidia-fabricmanager',
    'Id=nvidia-fabricmanager.service',
    `LoadState=${loaded}`,
    `ActiveState=${state}`,
  );
const switches = '0000:01:00.0 class=0x068000 device=0x22a3 driver=nvidia-nvswitch';
const named = section('environment', "env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'", 'VIRTUAL_ENV=/opt/a');
const two = bus(gpu('0000:19:00.0'), gpu('0000:3b:00.0'));
const package570 = section(
  'dpkg',
  "dpkg -l '*nvidia*'",
  'ii  nvidia-fabricmanager-570 570.86.15-1 amd64',
  'ii  libnvidia-compute-580 580.95.05-0ubuntu1 amd64',
);
const loading = (release: string): string =>
  `Nov 20 10:00:01 n1 kernel: [    5.3] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  ${release}  Release Build`;

const cases: readonly (readonly [string, string | null, string])[] = [
  [
    'several environments with several builds of torch',
    null,
    two + torch('/opt/a', '2.1.0+cu118', "'11.8'") + torch('/opt/b', '2.7.0+cu128', "'12.8'"),
  ],
  ['a CPU build in an environment that nothing names', null, two + torch('/opt/a', '2.7.0+cpu', 'None')],
  [
    'a CPU build in the environment of the program',
    'cpu-only-framework-build',
    two + named + torch('/opt/a', '2.7.0+cpu', 'None') + torch('/opt/b', '2.7.0+cu128', "'12.8'"),
  ],
  [
    'an earlier driver in the log',
    null,
    two + section('kernel-log', 'dmesg', loading('570.86.15'), loading('580.95.05')),
  ],
  ['a package of Fabric Manager without NVSwitches', null, two + package570],
  [
    'a package of Fabric Manager with NVSwitches',
    'fabric-manager-version-mismatch',
    bus(gpu('0000:19:00.0'), switches) + package570,
  ],
  [
    'Fabric Manager inactive with NVSwitches',
    'fabric-manager-not-running',
    bus(gpu('0000:19:00.0'), switches) + unit('inactive'),
  ],
  ['Fabric Manager inactive without NVSwitches', null, two + unit('inactive')],
  [
    'Fabric Manager without a unit, in a driver container',
    null,
    bus(gpu('0000:19:00.0'), switches) +
      unit('inactive', 'not-found') +
      section('daemons', "ps -eo comm | grep -E 'nvidia-persiste|nv-fabricmanager'", '4711 nv-fabricmanag'),
  ],
  [
    'a GPU that the driver has not taken',
    'gpu-count-wrong',
    bus(gpu('0000:19:00.0'), gpu('0000:3b:00.0', 'none')) +
      section(
        'modules',
        "lsmod | grep -E 'nvidia|nouveau|gdrdrv|mlx5|ib_'",
        'nvidia 14381056 66 nvidia_uvm, Live 0x0000000000000000 (O)',
      ),
  ],
];

describe('a host of a fleet', () => {
  it.each(cases)('%s: %s', (_, cause, more) => {
    const text = `@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\n${section('proc-driver-version', 'cat /proc/driver/nvidia/version', 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build')}${section('sys-module-version', 'cat /sys/module/nvidia/version', '580.95.05')}${more}@culprit-end sections=9 ms=9\n`;
    const { verdict } = examine([createDocument(text)]);
    expect({ status: verdict.status, cause: verdict.status === 'fault' ? verdict.cause : null }).toEqual({
      status: cause === null ? 'ok' : 'fault',
      cause,
    });
  });
});
