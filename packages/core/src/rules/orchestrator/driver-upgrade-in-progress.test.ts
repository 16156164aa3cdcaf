import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverUpgradeInProgress } from './driver-upgrade-in-progress.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the driver pod of the node only starts',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Pending", "initContainerStatuses": [{"name": "toolkit-validation", "ready": false, "restartCount": 0, "state": {"running": {}}}], "containerStatuses": [{"name": "ctr", "ready": false, "restartCount": 0, "state": {"waiting": {"reason": "PodInitializing"}}}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-driver-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-driver-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Pending", "initContainerStatuses": [{"name": "k8s-driver-manager", "ready": false, "restartCount": 0, "state": {"running": {}}}], "containerStatuses": [{"name": "ctr", "ready": false, "restartCount": 0, "state": {"waiting": {"reason": "PodInitializing"}}}]}}\n]}',
  ],
  [
    'fault proved in a table of nodes',
    'fault proved',
    'gpu-node-3   Ready,SchedulingDisabled   <none>   41d   v1.29.4   drain-required',
  ],
  [
    'silent when it only waits for its turn',
    'silent',
    '                    nvidia.com/gpu-driver-upgrade-state=upgrade-required',
  ],
  ['silent elsewhere', 'silent', '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'],
];

describe('orchestrator/driver-upgrade-in-progress', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverUpgradeInProgress, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
