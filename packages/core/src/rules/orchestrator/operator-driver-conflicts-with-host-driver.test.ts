import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { operatorDriverConflictsWithHostDriver } from './operator-driver-conflicts-with-host-driver.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely without the host’s side',
    'fault likely',
    'nvidia-driver-daemonset-tk2vn   0/1   CrashLoopBackOff\nCould not unload NVIDIA driver kernel modules, driver is in use',
  ],
  [
    'silent on another failure of the driver container',
    'silent',
    'nvidia-driver-daemonset-tk2vn   0/1   CrashLoopBackOff\nCould not resolve Linux kernel version',
  ],
];

describe('orchestrator/operator-driver-conflicts-with-host-driver', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(operatorDriverConflictsWithHostDriver, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
