import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuResourceNameWrong } from './gpu-resource-name-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved the other way round',
    'fault proved',
    '0/3 nodes are available: 3 Insufficient nvidia.com/mig-3g.20gb.\n$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  8\nAllocatable:\n  nvidia.com/gpu:  8',
  ],
  ['silent without a pod that waits', 'silent', '$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  8'],
];

describe('orchestrator/gpu-resource-name-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuResourceNameWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
