import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { devicePluginSeesNoGpu } from './device-plugin-sees-no-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on a mismatch',
    'fault proved',
    'No devices found. Waiting indefinitely.\nFailed to initialize NVML: Driver/library version mismatch',
  ],
  ['silent elsewhere', 'silent', '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'],
];

describe('orchestrator/device-plugin-sees-no-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(devicePluginSeesNoGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
