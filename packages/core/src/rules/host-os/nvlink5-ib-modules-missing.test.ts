import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvlink5IbModulesMissing } from './nvlink5-ib-modules-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'silent on older machines without the modules shown',
    'silent',
    'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\ncuInit: 802 system not yet initialized',
  ],
];

describe('host-os/nvlink5-ib-modules-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvlink5IbModulesMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
