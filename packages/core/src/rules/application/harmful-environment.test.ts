import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { harmfulEnvironment } from './harmful-environment.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when NCCL is kept off the fast path and the bandwidth shows it',
    'fault proved',
    '$ NCCL_IB_DISABLE=1 mpirun -np 16 ./all_reduce_perf -b 1G -e 1G\n# Avg bus bandwidth    : 2.31\n$ mpirun -np 16 ./all_reduce_perf -b 1G -e 1G\n# Avg bus bandwidth    : 178.4',
  ],
  [
    'fault when the program is called slow and the variable is known for it',
    'fault likely',
    '$ env | grep NVIDIA_TF32\nNVIDIA_TF32_OVERRIDE=0\ntraining is 4x slower than on the old cluster',
  ],
  [
    'silent when it is set to find a failure',
    'silent',
    '$ CUDA_LAUNCH_BLOCKING=1 python train.py\nRuntimeError: CUDA error: device-side assert triggered',
  ],
  [
    'near miss: a variable without which the run does not go well',
    'silent',
    "$ ./all_reduce_perf -g 2\nNCCL failure common.cu:1005 'unhandled cuda error'\n$ NCCL_P2P_DISABLE=1 ./all_reduce_perf -g 2 | tail -1\n# Avg bus bandwidth    : 3.1",
  ],
];

describe('application/harmful-environment', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(harmfulEnvironment, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
