import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerDeviceUnknown } from './container-device-unknown.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the toolkit’s word',
    'fault likely',
    'nvidia-container-cli: device error: GPU-11111111-2222-3333-4444-555555555555: unknown device: unknown',
  ],
  [
    'silent for a MIG device',
    'silent',
    'nvidia-container-cli: device error: MIG-11111111-2222-3333-4444-555555555555: unknown device: unknown',
  ],
];

describe('container-runtime/container-device-unknown', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(containerDeviceUnknown, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
