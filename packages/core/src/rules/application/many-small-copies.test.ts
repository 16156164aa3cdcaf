import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { manySmallCopies } from './many-small-copies.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when the calls take most of the time',
    'fault proved',
    ' Time (%)  Total Time (ns)  Num Calls   Avg (ns)   Name\n --------  ---------------  ---------  ---------  ----------------\n     61.2      612,000,000     50,000   12,240.0  cudaMemcpyAsync\n     38.8      388,000,000     50,000    7,760.0  cudaLaunchKernel\n\n Total (MB)   Count   Avg (MB)   Operation\n ----------  -------  ---------  -------------------------\n      0.400   50,000      0.000  [CUDA memcpy Device-to-Host]',
  ],
  [
    'only possible with sizes alone',
    'fault possible',
    ' Total (MB)   Count   Avg (MB)   Operation\n ----------  -------  ---------  -------------------------\n     10.000   10,000      0.001  [CUDA memcpy Device-to-Host]',
  ],
  [
    'cleared when they take little of the time',
    'cleared',
    ' Time (%)  Total Time (ns)  Num Calls   Avg (ns)   Name\n --------  ---------------  ---------  ---------  ----------------\n      2.0        2,000,000      2,000    1,000.0  cudaMemcpyAsync\n     98.0       98,000,000      9,000   10,888.9  cudaLaunchKernel\n\n Total (MB)   Count   Avg (MB)   Operation\n ----------  -------  ---------  -------------------------\n      0.400    2,000      0.000  [CUDA memcpy Device-to-Host]',
  ],
];

describe('application/many-small-copies', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(manySmallCopies, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
