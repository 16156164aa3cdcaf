import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { dataCorrupt } from './data-corrupt.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a record lacks a field, and the other ranks time out',
    'fault likely',
    '[rank2]: KeyError: Caught KeyError in DataLoader worker process 1.\n[rank0]:[E ProcessGroupNCCL.cpp:563] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.',
  ],
  [
    'fault when a record of TensorFlow is damaged',
    'fault likely',
    'tensorflow.python.framework.errors_impl.DataLossError: corrupted record at 1048576',
  ],
  [
    'cleared when the disk was full before',
    'cleared',
    'OSError: [Errno 28] No space left on device\nzipfile.BadZipFile: File is not a zip file',
  ],
];

describe('application/data-corrupt', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(dataCorrupt, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
