import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { fabricManagerVersionMismatch } from './fabric-manager-version-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with 802',
    'fault proved',
    'RuntimeError: CUDA error: system not yet initialized\n$ dpkg -l | grep fabricmanager\nii  nvidia-fabricmanager-550  550.90.07-1  amd64  Fabric Manager\n$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.127.08  Tue Oct  8 21:04:11 UTC 2024',
  ],
  ['silent without Fabric Manager', 'silent', '$ pip list\ntorch 2.6.0'],
];

describe('fabric/fabric-manager-version-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(fabricManagerVersionMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
