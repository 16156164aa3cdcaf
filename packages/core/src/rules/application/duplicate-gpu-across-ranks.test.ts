import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { duplicateGpuAcrossRanks } from './duplicate-gpu-across-ranks.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when NCCL names the ranks',
    'fault proved',
    'g1:1:2 [0] init.cc:943 NCCL WARN Duplicate GPU detected : rank 4 and rank 0 both on CUDA device 3b000',
  ],
  [
    'fault with its consequences',
    'fault proved',
    'g1:1:2 [3] init.cc:900 NCCL WARN Duplicate GPU detected : rank 3 and rank 2 both on CUDA device 85000\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.',
  ],
  [
    'silent when two programs share a GPU',
    'silent',
    '$ nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv,noheader\n4101, tritonserver, 8120 MiB\n4230, python3, 6212 MiB',
  ],
];

describe('application/duplicate-gpu-across-ranks', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(duplicateGpuAcrossRanks, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
