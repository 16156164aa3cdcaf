import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuMemoryHeldByOrphans } from './gpu-memory-held-by-orphans.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['silent on a plain out-of-memory', 'silent', 'RuntimeError: CUDA out of memory'],
];

describe('application/gpu-memory-held-by-orphans', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuMemoryHeldByOrphans, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
