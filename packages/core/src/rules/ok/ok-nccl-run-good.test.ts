import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okNcclRunGood } from './ok-nccl-run-good.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for a communicator is complete',
    'cleared',
    'host:4120:4120 [1] NCCL INFO comm 0x7f2a18001a00 rank 1 nranks 2 cudaDev 1 nvmlDev 1 - Init COMPLETE',
  ],
  [
    'cleared when init is complete',
    'cleared',
    'n1:41:41 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 1a000 commId 0x9 - Init COMPLETE',
  ],
  [
    'silent when a rank warns of a failed call afterwards',
    'silent',
    'n1:41:41 [0] NCCL INFO comm 0x5 rank 0 nranks 8 cudaDev 0 busId 1a000 - Init COMPLETE\nRuntimeError: CUDA error: an illegal memory access was encountered',
  ],
];

describe('ok/ok-nccl-run-good', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okNcclRunGood, text).kind).toBe(expected);
  });
});
