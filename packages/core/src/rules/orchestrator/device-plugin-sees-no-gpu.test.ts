import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { devicePluginSeesNoGpu } from './device-plugin-sees-no-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'possible where nothing shows whether the node has a GPU',
    'fault possible',
    'E1130 08:00:01.124200       1 factory.go:112] Incompatible strategy detected auto\nE1130 08:00:01.124300       1 factory.go:113] If this is a GPU node, did you configure the NVIDIA Container Toolkit?\nE1130 08:00:01.124600       1 factory.go:116] If this is not a GPU node, you should set up a toleration or nodeSelector to only deploy this plugin on GPU nodes\nI1130 08:00:01.124700       1 main.go:381] No devices found. Waiting indefinitely.',
  ],
  [
    'cleared where the bus of the node has none',
    'cleared',
    'E1130 08:00:01.124200       1 factory.go:112] Incompatible strategy detected auto\nE1130 08:00:01.124300       1 factory.go:113] If this is a GPU node, did you configure the NVIDIA Container Toolkit?\nE1130 08:00:01.124600       1 factory.go:116] If this is not a GPU node, you should set up a toleration or nodeSelector to only deploy this plugin on GPU nodes\nI1130 08:00:01.124700       1 main.go:381] No devices found. Waiting indefinitely.\n$ lspci -nn | grep -i nvidia\n$ uname -r\n6.8.0',
  ],
  [
    'likely where the driver of the node answers',
    'fault likely',
    'E1130 08:00:01.124200       1 factory.go:112] Incompatible strategy detected auto\nE1130 08:00:01.124300       1 factory.go:113] If this is a GPU node, did you configure the NVIDIA Container Toolkit?\nE1130 08:00:01.124600       1 factory.go:116] If this is not a GPU node, you should set up a toleration or nodeSelector to only deploy this plugin on GPU nodes\nI1130 08:00:01.124700       1 main.go:381] No devices found. Waiting indefinitely.\n$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-9d1c3b6e-3ac8-4b0e-8c5a-6d1a3a0b9f11)',
  ],
  [
    'fault where it runs and the node offers nothing',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": true, "restartCount": 0, "state": {"running": {}}}]}}\n]}',
  ],
  [
    'fault proved on a mismatch',
    'fault proved',
    'No devices found. Waiting indefinitely.\nFailed to initialize NVML: Driver/library version mismatch',
  ],
  ['silent elsewhere', 'silent', '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'],
  [
    'the DRA driver finds no driver under its root',
    'fault proved',
    "Check failed. Has the NVIDIA GPU driver been set up? It is expected to be installed under NVIDIA_DRIVER_ROOT (currently set to '/run/nvidia/driver') in the host filesystem.",
  ],
  [
    'the DRA driver finds nvidia-smi, which fails',
    'fault proved',
    'nvidia-smi failed (see error above). Has the NVIDIA GPU driver been set up?',
  ],
  [
    'the plugin of Nomad, with a driver that answers',
    'fault proved',
    'client.device_mgr.nomad-device-nvidia: failed to get fingerprint nvidia devices:\n  | nvidia nvml DeviceInfoByIndex() error: unsupported GPU device\n$ nvidia-smi -L\nGPU 0: NVIDIA GeForce RTX 2080 (UUID: GPU-c1c30000-0000-0000-0000-ee1f2a1e7a11)',
  ],
];

describe('orchestrator/device-plugin-sees-no-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(devicePluginSeesNoGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
