import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostDriverNotLoaded } from './host-driver-not-loaded.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the driver pod of the node crashes',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-driver-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-driver-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": false, "restartCount": 9, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}}]}}\n]}',
  ],
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
  [
    'the installer of COS could not verify the driver',
    'fault proved',
    'I0301 07:00:01 installer.go:212] Verifying GPU driver installation\nE0301 07:00:02 failed to verify GPU driver installation: exit status 9',
  ],
  [
    'Apptainer finds nothing to bind, and no module is loaded',
    'fault proved',
    '$ apptainer exec --nv c.sif python t.py\nWARNING: Could not find any nv files on this host!\n$ lsmod | grep nvidia\n$ uname -r\n5.14.0',
  ],
  [
    'near miss: Apptainer finds nothing, and the driver answers',
    'silent',
    '$ apptainer exec --nv c.sif python t.py\nWARNING: Could not find any nv files on this host!\n$ lsmod | grep nvidia\nnvidia_uvm           4931584  0\nnvidia              56717312  1 nvidia_uvm',
  ],
];

describe('driver/host-driver-not-loaded', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostDriverNotLoaded, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
