import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { k8sRuntimeClassMissing } from './k8s-runtime-class-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the node knows no such runtime',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1", "runtimeClassName": "nvidia"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": true, "restartCount": 0, "state": {"running": {}}}]}},\n{"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreatePodSandBox", "message": "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for \\"nvidia\\" is configured", "involvedObject": {"kind": "Pod", "name": "train-0", "namespace": "ml"}, "lastTimestamp": "2026-11-30T08:00:00Z"}\n]}',
  ],
  [
    'fault proved when the engine has no such handler',
    'fault proved',
    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "nvidia" is configured',
  ],
  [
    'fault proved when the pod does not ask for the class',
    'fault proved',
    '$ kubectl logs gpu-test\nRuntimeError: Found no NVIDIA driver on your system.\n$ kubectl get runtimeclass\nNAME     HANDLER   AGE\nnvidia   nvidia    12d\n$ kubectl get pod gpu-test -o yaml | grep runtimeClassName\n$ kubectl get nodes\nnode1',
  ],
  ['silent without a pod', 'silent', 'RuntimeError: Found no NVIDIA driver on your system.'],
];

describe('container-runtime/k8s-runtime-class-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(k8sRuntimeClassMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
