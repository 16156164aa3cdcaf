import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverUpgradeInProgress } from './driver-upgrade-in-progress.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in a table of nodes',
    'fault proved',
    'gpu-node-3   Ready,SchedulingDisabled   <none>   41d   v1.29.4   drain-required',
  ],
  [
    'silent when it only waits for its turn',
    'silent',
    '                    nvidia.com/gpu-driver-upgrade-state=upgrade-required',
  ],
  ['silent elsewhere', 'silent', '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'],
];

describe('orchestrator/driver-upgrade-in-progress', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverUpgradeInProgress, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
