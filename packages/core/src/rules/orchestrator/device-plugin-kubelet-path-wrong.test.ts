import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { devicePluginKubeletPathWrong } from './device-plugin-kubelet-path-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when the folder is not there',
    'fault likely',
    'failed to start plugin: listen unix /var/lib/kubelet/device-plugins/nvidia-gpu.sock: bind: no such file or directory',
  ],
  ['fault possible on a deadline', 'fault possible', 'Could not register device plugin: context deadline exceeded'],
  ['silent elsewhere', 'silent', '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'],
];

describe('orchestrator/device-plugin-kubelet-path-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(devicePluginKubeletPathWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
