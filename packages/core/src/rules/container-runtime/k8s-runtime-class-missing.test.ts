import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { k8sRuntimeClassMissing } from './k8s-runtime-class-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
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
