import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclBugHang } from './nccl-bug-hang.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'unknown when the release is not known',
    'unknown',
    '[rank1]: [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600010 milliseconds before timing out.',
  ],
];

describe('nccl/nccl-bug-hang', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclBugHang, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
