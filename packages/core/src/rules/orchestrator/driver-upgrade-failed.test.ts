import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverUpgradeFailed } from './driver-upgrade-failed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the node of the pod has the state',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Running", "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0, "state": {"running": {}}}]}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu-driver-upgrade-state": "upgrade-failed"}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}}\n]}',
  ],
  [
    'fault where the driver pod crashes besides',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu-driver-upgrade-state": "upgrade-failed"}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-driver-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-driver-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": false, "restartCount": 9, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}}]}}\n]}',
  ],
  ['cleared where it is done', 'cleared', 'nvidia.com/gpu-driver-upgrade-state=upgrade-done'],
  ['unknown where nothing but the label is there', 'unknown', 'nvidia.com/gpu-driver-upgrade-state=upgrade-failed'],
  [
    'silent while it goes on',
    'silent',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Running", "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0, "state": {"running": {}}}]}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}}\n]}',
  ],
];

describe('orchestrator/driver-upgrade-failed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverUpgradeFailed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
