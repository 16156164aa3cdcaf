import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { kvCacheTooSmall } from './kv-cache-too-small.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when no block is left',
    'fault likely',
    'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
  ],
  [
    'fault when SGLang has no room',
    'fault likely',
    'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.',
  ],
  [
    'silent when torch runs out of memory',
    'silent',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.',
  ],
];

describe('application/kv-cache-too-small', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(kvCacheTooSmall, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
