import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { visibleDevicesEmptyByScheduler } from './visible-devices-empty-by-scheduler.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the pod asks for none and its program looks for one',
    'fault proved',
    '{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "4"}}}], "nodeName": "gpu-1"}, "status": {"phase": "Running", "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0, "state": {"running": {}}}]}},\n{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}]}},\n{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin-daemonset-x7", "namespace": "gpu-operator", "labels": {"app": "nvidia-device-plugin-daemonset"}}, "spec": {"nodeName": "gpu-1", "containers": [{"name": "ctr"}]}, "status": {"phase": "Running", "containerStatuses": [{"name": "ctr", "ready": true, "restartCount": 0, "state": {"running": {}}}]}}\n]}\nRuntimeError: No CUDA GPUs are available',
  ],
  [
    'fault proved in a Slurm job without GPUs',
    'fault proved',
    'RuntimeError: No CUDA GPUs are available\n$ printenv CUDA_VISIBLE_DEVICES\nNoDevFiles',
  ],
  [
    'silent when a person hid the GPUs',
    'silent',
    '$ CUDA_VISIBLE_DEVICES=-1 python train.py\nRuntimeError: No CUDA GPUs are available',
  ],
  ['silent on another failure', 'silent', 'CUDA_VISIBLE_DEVICES=\nCUDA error: out of memory'],
  [
    'a job of LSF that asked for no GPU',
    'fault likely',
    '$ bsub -q gpu -Is bash\nJob <771> is submitted to queue <gpu>.\nn2$ echo "[$CUDA_VISIBLE_DEVICES]"\n[]\nn2$ nvidia-smi\nNo devices were found',
  ],
  [
    'near miss: a job of LSF with GPUs',
    'cleared',
    '$ bsub -gpu "num=2" -Is bash\nJob <772> is submitted to queue <gpu>.\nn2$ echo $CUDA_VISIBLE_DEVICES\n0,1\nn2$ python t.py\nRuntimeError: No CUDA GPUs are available',
  ],
];

describe('orchestrator/visible-devices-empty-by-scheduler', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(visibleDevicesEmptyByScheduler, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
