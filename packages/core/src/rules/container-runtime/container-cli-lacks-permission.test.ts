import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerCliLacksPermission } from './container-cli-lacks-permission.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in a rootless engine',
    'fault proved',
    'nvidia-container-cli: initialization error: nvml error: insufficient permissions: unknown\n  rootless: true',
  ],
  [
    'silent when the driver is not loaded',
    'silent',
    'nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown',
  ],
  [
    'it may not look into the root of the container',
    'fault likely',
    'nvidia-container-cli: container error: file lookup failed: /proc/421042/root/data/u1/etc/debian_version: permission denied',
  ],
  [
    'near miss: the file is not there',
    'silent',
    'nvidia-container-cli: container error: file lookup failed: /proc/421042/root/data/u1/etc/debian_version: no such file or directory',
  ],
];

describe('container-runtime/container-cli-lacks-permission', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(containerCliLacksPermission, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
