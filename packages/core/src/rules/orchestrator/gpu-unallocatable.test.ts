import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuUnallocatable } from './gpu-unallocatable.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the way from the pod shows no node with as many',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "16"}}}]}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedScheduling", "message": "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: not eligible", "involvedObject": {"kind": "Pod", "name": "train-0", "namespace": "ml"}, "lastTimestamp": "2026-11-30T08:00:00Z"}\n]}',
  ],
  [
    'fault where all of the node are out of use',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "0"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": true, "restartCount": 0, "state": {"running": {}}}]}}\n]}',
  ],
  [
    'fault likely when the kubelet has none left',
    'fault likely',
    'requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0',
  ],
  ['silent on other shortages', 'silent', '0/3 nodes are available: 3 Insufficient memory.'],
  [
    'a workload larger than the quota of its queue',
    'fault proved',
    "couldn't assign flavors to pod set w: insufficient quota for nvidia.com/gpu in flavor l40s, request > maximum capacity (16 > 8)",
  ],
  [
    'Ray is asked for more GPUs than it has',
    'fault proved',
    "(autoscaler +10s) Error: No available node types can fulfill resource request {'GPU': 4.0, 'CPU': 1.0}. Add suitable node types to this cluster to resolve this issue.\nUsage:\n 0.0/32.0 CPU\n 0.0/2.0 GPU\nDemands:\n {'GPU': 4.0, 'CPU': 1.0}: 1+ pending tasks/actors",
  ],
  [
    'near miss: Ray has the GPUs, and they are busy',
    'silent',
    "Usage:\n 8.0/32.0 CPU\n 4.0/4.0 GPU\nDemands:\n {'GPU': 2.0}: 1+ pending tasks/actors",
  ],
];

describe('orchestrator/gpu-unallocatable', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuUnallocatable, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
