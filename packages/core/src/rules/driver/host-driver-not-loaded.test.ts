import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { hostDriverNotLoaded } from './host-driver-not-loaded.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with nvidia-smi on the host',
    'fault proved',
    "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown\n$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  [
    'silent on a mismatch',
    'silent',
    'nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown',
  ],
];

describe('driver/host-driver-not-loaded', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(hostDriverNotLoaded, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
