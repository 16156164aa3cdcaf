import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpusAllTaken } from './gpus-all-taken.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where every GPU of the nodes is held',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}, "status": {"phase": "Pending"}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedScheduling", "message": "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: not eligible", "involvedObject": {"kind": "Pod", "name": "train-0", "namespace": "ml"}, "lastTimestamp": "2026-11-30T08:00:00Z"}\n]}',
  ],
  ['silent when nothing waits', 'silent', '$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  8'],
  [
    'silent when the node offers none',
    'silent',
    '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.\n$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  0\nAllocatable:\n  nvidia.com/gpu:  0',
  ],
  [
    'Kueue holds back a workload for its quota',
    'fault proved',
    "  Warning  Pending  4s (x9 over 1h)  kueue-admission  couldn't assign flavors to pod set w: insufficient unused quota for nvidia.com/gpu in flavor a100, 16 more needed",
  ],
  [
    'LSF finds no free GPUs',
    'fault likely',
    "Host's available GPU resources cannot meet the job's requirements: 21 hosts;",
  ],
  [
    'near miss: the quota of CPUs is in use',
    'silent',
    "couldn't assign flavors to pod set w: insufficient unused quota for cpu in flavor default, 12 more needed",
  ],
];

describe('orchestrator/gpus-all-taken', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpusAllTaken, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
