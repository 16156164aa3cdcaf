import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { timeSlicingNoMemoryIsolation } from './time-slicing-no-memory-isolation.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['silent on a bare machine', 'silent', 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'],
  ['silent when nothing ran out', 'silent', '                    nvidia.com/gpu.product=Tesla-T4-SHARED'],
];

describe('orchestrator/time-slicing-no-memory-isolation', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(timeSlicingNoMemoryIsolation, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
