import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cgroupDeviceFilterFailed } from './cgroup-device-filter-failed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with an old toolkit',
    'fault proved',
    'nvidia-container-cli: container error: cgroup subsystem devices not found: unknown',
  ],
  ['silent when a running container lost its GPUs', 'silent', 'Failed to initialize NVML: Unknown Error'],
];

describe('container-runtime/cgroup-device-filter-failed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cgroupDeviceFilterFailed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
