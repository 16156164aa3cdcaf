import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { k8sDefaultRuntimeNotNvidia } from './k8s-default-runtime-not-nvidia.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault possible on the plugin’s own question, which it also asks on nodes without a GPU',
    'fault possible',
    'If this is a GPU node, did you set the docker default runtime to `nvidia`?',
  ],
  [
    'fault proved when containerd’s default is runc',
    'fault proved',
    '$ kubectl -n kube-system logs nvidia-device-plugin-daemonset-4x8kq\nFailed to initialize NVML: could not load NVML library: libnvidia-ml.so.1: cannot open shared object file: No such file or directory.\nnode$ grep default_runtime_name /etc/containerd/config.toml\n      default_runtime_name = "runc"',
  ],
  ['silent without Kubernetes', 'silent', 'RuntimeError: Found no NVIDIA driver on your system.'],
];

describe('container-runtime/k8s-default-runtime-not-nvidia', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(k8sDefaultRuntimeNotNvidia, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
