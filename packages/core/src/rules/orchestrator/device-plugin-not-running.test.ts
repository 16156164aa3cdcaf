import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { devicePluginNotRunning } from './device-plugin-not-running.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where its pod on the node of the pod crashes',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": false, "restartCount": 9, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}}]}}\n]}',
  ],
  [
    'fault proved when there is none',
    'fault proved',
    '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.\nError from server (NotFound): daemonsets.apps "nvidia-device-plugin-daemonset" not found',
  ],
  [
    'fault likely when it is on some nodes only',
    'fault likely',
    'nvidia-device-plugin-daemonset   4         4         3       4            3           <none>   3d',
  ],
  ['silent without any of it', 'silent', '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'],
  [
    'near miss: it waits for the validation of the toolkit',
    'fault possible',
    'nvidia-device-plugin-daemonset-q468h                          0/1     Init:0/1   0          44m\nwaiting for nvidia container stack to be setup',
  ],
];

describe('orchestrator/device-plugin-not-running', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(devicePluginNotRunning, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
