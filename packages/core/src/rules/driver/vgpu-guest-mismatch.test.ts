import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { vgpuGuestMismatch } from './vgpu-guest-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a guest that is newer',
    'fault proved',
    'error: vmiop_log: (0x0): Incompatible Guest/Host drivers: Guest VGX version is newer than the maximum version supported by the Host. Disabling vGPU.',
  ],
  [
    'the reason alone',
    'fault proved',
    'vmiop_log: Guest VGX version is older than the minimum version supported by the Host',
  ],
  [
    'near miss: the manager only starts',
    'unknown',
    'vmiop_log: ######## vGPU Manager Information: ########\nvmiop_log: Driver Version: 510.47.03\nvmiop_log: (0x0): vGPU migration disabled',
  ],
  ['near miss: no licence', 'silent', 'nvidia-gridd: Failed to acquire license from 10.1.2.3'],
];

describe('driver/vgpu-guest-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(vgpuGuestMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
