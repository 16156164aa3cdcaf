import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuUnallocatable } from './gpu-unallocatable.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when the kubelet has none left',
    'fault likely',
    'requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0',
  ],
  ['silent on other shortages', 'silent', '0/3 nodes are available: 3 Insufficient memory.'],
];

describe('orchestrator/gpu-unallocatable', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuUnallocatable, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
