import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { allocInLoop } from './alloc-in-loop.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when freeing takes most of the time',
    'fault proved',
    ' Time (%)  Total Time (ns)  Num Calls   Avg (ns)   Name\n --------  ---------------  ---------  ---------  ----------------\n     71.0      710,000,000     10,000   71,000.0  cudaFree\n     19.0      190,000,000     10,000   19,000.0  cudaMalloc\n     10.0      100,000,000     10,000   10,000.0  cudaLaunchKernel',
  ],
  [
    'fault with pinned buffers too',
    'fault proved',
    ' Time (%)  Total Time (ns)  Num Calls   Avg (ns)   Name\n --------  ---------------  ---------  ---------  ----------------\n     81.0      810,000,000        900  900,000.0  cudaHostAlloc\n     19.0      190,000,000      1,000  190,000.0  cudaLaunchKernel',
  ],
  [
    'silent with a pool',
    'silent',
    ' Time (%)  Total Time (ns)  Num Calls   Avg (ns)   Name\n --------  ---------------  ---------  ---------  ----------------\n     50.0      500,000,000     10,000   50,000.0  cudaMallocAsync\n     50.0      500,000,000     10,000   50,000.0  cudaLaunchKernel',
  ],
];

describe('application/alloc-in-loop', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(allocInLoop, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
