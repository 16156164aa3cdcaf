import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { devicePluginMigStrategyWrong } from './device-plugin-mig-strategy-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on the label MIG-INVALID',
    'fault proved',
    '                    nvidia.com/gpu.product=NVIDIA-A100-SXM4-40GB-MIG-INVALID',
  ],
  [
    'fault proved when the strategy offers no such name',
    'fault proved',
    '0/5 nodes are available: 5 Insufficient nvidia.com/mig-1g.10gb.\n                    nvidia.com/mig.strategy=single',
  ],
  ['silent when the GPUs are just taken', 'silent', '0/5 nodes are available: 5 Insufficient nvidia.com/gpu.'],
];

describe('orchestrator/device-plugin-mig-strategy-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(devicePluginMigStrategyWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
