import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okMigEnabled } from './ok-mig-enabled.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for a node with the single strategy',
    'cleared',
    '$ kubectl describe node gpu-node-1\n                    nvidia.com/mig.config=all-1g.10gb\n                    nvidia.com/mig.config.state=success\n                    nvidia.com/mig.strategy=single',
  ],
  [
    'silent without MIG',
    'silent',
    '$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000000)',
  ],
];

describe('ok/ok-mig-enabled', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okMigEnabled, text).kind).toBe(expected);
  });
});
