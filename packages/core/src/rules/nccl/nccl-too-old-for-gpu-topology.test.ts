import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclTooOldForGpuTopology } from './nccl-too-old-for-gpu-topology.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when a GPU is unknown',
    'fault likely',
    'n1:71:71 [0] NCCL WARN cudaArch 1210 dynamic smem 231424 exceeds device/fn maxSharedMem 101376',
  ],
  ['silent without NCCL', 'silent', 'hello'],
];

describe('nccl/nccl-too-old-for-gpu-topology', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclTooOldForGpuTopology, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
