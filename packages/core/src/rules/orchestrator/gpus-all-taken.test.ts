import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpusAllTaken } from './gpus-all-taken.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['silent when nothing waits', 'silent', '$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  8'],
  [
    'silent when the node offers none',
    'silent',
    '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.\n$ kubectl describe node gpu-1\nCapacity:\n  nvidia.com/gpu:  0\nAllocatable:\n  nvidia.com/gpu:  0',
  ],
];

describe('orchestrator/gpus-all-taken', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpusAllTaken, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
