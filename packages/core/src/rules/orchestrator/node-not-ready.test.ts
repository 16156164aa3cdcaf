import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nodeNotReady } from './node-not-ready.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the node of the pod does not report',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Running", "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0, "state": {"running": {}}}]}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}]}}\n]}',
  ],
  [
    'fault where the kubelet says that it is not ready',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "False", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": true, "restartCount": 0, "state": {"running": {}}}]}}\n]}',
  ],
  [
    'cleared where the node is ready',
    'cleared',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Running", "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0, "state": {"running": {}}}]}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": true, "restartCount": 0, "state": {"running": {}}}]}}\n]}',
  ],
  [
    'fault where only the node is shown, and its kubelet is silent',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "False", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}]}}\n]}',
  ],
  ['silent where a node is being upgraded', 'silent', 'nvidia.com/gpu-driver-upgrade-state=drain-required'],
  [
    'the kubelet is silent',
    'fault proved',
    '$ kubectl describe node n3 | grep Ready\n  Ready            Unknown   Wed, 11 Nov 2026 03:12:55 +0000   Wed, 11 Nov 2026 03:14:02 +0000   NodeStatusUnknown   Kubelet stopped posting node status.',
  ],
  [
    'the container runtime is down',
    'fault proved',
    '  Ready    False   Fri, 06 Mar 2026 10:00:00 +0000   Fri, 06 Mar 2026 09:58:11 +0000   KubeletNotReady   [container runtime is down, PLEG is not healthy: pleg was last seen active 5m1s ago; threshold is 3m0s]',
  ],
  [
    'near miss: a pod of the node is not ready',
    'silent',
    '  Ready             False\n  ContainersReady   False\n  Warning  Unhealthy  2m  kubelet  Readiness probe failed: HTTP probe failed with statuscode: 503',
  ],
];

describe('orchestrator/node-not-ready', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nodeNotReady, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
