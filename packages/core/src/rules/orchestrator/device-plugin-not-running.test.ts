import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { devicePluginNotRunning } from './device-plugin-not-running.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when there is none',
    'fault proved',
    '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.\nError from server (NotFound): daemonsets.apps "nvidia-device-plugin-daemonset" not found',
  ],
  [
    'fault likely when it is on some nodes only',
    'fault likely',
    'nvidia-device-plugin-daemonset   4         4         3       4            3           <none>   3d',
  ],
  ['silent without any of it', 'silent', '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'],
];

describe('orchestrator/device-plugin-not-running', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(devicePluginNotRunning, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
