import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuResourceNameWrong } from './gpu-resource-name-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where nodes offer MIG devices by name',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/mig-1g.10gb": "7"}, "allocatable": {"nvidia.com/mig-1g.10gb": "7"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedScheduling", "message": "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: not eligible", "involvedObject": {"kind": "Pod", "name": "train-0", "namespace": "ml"}, "lastTimestamp": "2026-11-30T08:00:00Z"}\n]}',
  ],
  [
    'fault proved the other way round',
    'fault proved',
    '0/3 nodes are available: 3 Insufficient nvidia.com/mig-3g.20gb.\n$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  8\nAllocatable:\n  nvidia.com/gpu:  8',
  ],
  ['silent without a pod that waits', 'silent', '$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  8'],
];

describe('orchestrator/gpu-resource-name-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuResourceNameWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
