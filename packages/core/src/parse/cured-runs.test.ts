import { describe, expect, it } from 'vitest';
import { table } from './testing.ts';

const cases: readonly (readonly [string, string, readonly unknown[] | undefined])[] = [
  [
    'a run that a time limit ended, and one without peer access',
    '$ timeout 60 ./all_reduce_perf -g 2\n# nThread 1\n$ echo $?\n124\n$ NCCL_P2P_DISABLE=1 ./all_reduce_perf -g 2 | tail -1\n# Avg bus bandwidth    : 3.1\n',
    [{ name: 'NCCL_P2P_DISABLE', value: '1' }],
  ],
  [
    'a run that failed, and one with a variable more; what tells more does not count',
    '$ NCCL_DEBUG=WARN mpirun -np 4 ./t\nh:1:2 [0] NCCL WARN Cuda failure 1\n$ mpirun -np 4 ./t\n# Out of bounds values : 0 OK\n$ env NCCL_DEBUG=INFO NCCL_IB_DISABLE=1 mpirun -np 4 ./t 2>&1 | tee log\n# Out of bounds values : 0 OK\n',
    [{ name: 'NCCL_IB_DISABLE', value: '1' }],
  ],
  [
    'two variables at once show nothing of either',
    '$ ./t\nNCCL failure x\n$ NCCL_IB_DISABLE=1 NCCL_P2P_DISABLE=1 ./t\nTest PASSED\n',
    undefined,
  ],
  [
    'it failed with the variable as well',
    '$ ./t\nNCCL failure x\n$ NCCL_P2P_DISABLE=1 ./t\nNCCL failure x\n',
    undefined,
  ],
  ['another command', '$ ./a\nNCCL failure x\n$ NCCL_P2P_DISABLE=1 ./b\nTest PASSED\n', undefined],
  ['both went well', '$ ./t\nTest PASSED\n$ NCCL_P2P_DISABLE=1 ./t\nTest PASSED\n', undefined],
];

describe('runs that a variable cured', () => {
  it.each(cases)('%s', (_, text, expected) => {
    expect(table(text)['program.cured-by']).toEqual(expected);
  });
});
