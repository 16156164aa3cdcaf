import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { devicePluginSeesNoGpu } from './device-plugin-sees-no-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
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
];

describe('orchestrator/device-plugin-sees-no-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(devicePluginSeesNoGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
