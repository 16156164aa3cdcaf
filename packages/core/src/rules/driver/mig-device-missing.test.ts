import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { migDeviceMissing } from './mig-device-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when Slurm misses them',
    'fault proved',
    'error: MIG mode is enabled, but no MIG devices were found. Please either create MIG instances, disable MIG mode, remove AutoDetect=nvml, or remove GPUs from the configuration completely.',
  ],
  [
    'fault proved when the plugin misses them',
    'fault proved',
    'at least one device with migEnabled=true was not configured correctly: device 0 has no MIG devices configured',
  ],
  ['silent without MIG', 'silent', 'RuntimeError: No CUDA GPUs are available'],
];

describe('driver/mig-device-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(migDeviceMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
