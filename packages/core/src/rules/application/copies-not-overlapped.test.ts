import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { copiesNotOverlapped } from './copies-not-overlapped.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when six copies and kernels take turns',
    'fault proved',
    ' Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name\n -------------  -------------  ----------  --------  --------  ----  ----------------------------\n 1,000,000,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 1,003,000,000      2,900,000                                    13  filter(float *)\n 1,006,000,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 1,009,000,000      2,900,000                                    13  filter(float *)\n 1,012,000,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 1,015,000,000      2,900,000                                    13  filter(float *)\n 1,018,000,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 1,021,000,000      2,900,000                                    13  filter(float *)\n 1,024,000,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 1,027,000,000      2,900,000                                    13  filter(float *)\n 1,030,000,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 1,033,000,000      2,900,000                                    13  filter(float *)',
  ],
  [
    'fault when a short time line shows it',
    'fault likely',
    ' Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name\n -------------  -------------  ----------  --------  --------  ----  ----------------------------\n 1,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 3,000,000      2,900,000                                    13  filter(float *)\n 6,000,000      2,600,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 9,000,000      2,900,000                                    13  filter(float *)',
  ],
  [
    'silent when the memory is pageable',
    'silent',
    ' Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name\n -------------  -------------  ----------  --------  --------  ----  ----------------------------\n 1,000      2,600,000      67.109  Pageable    Device      13  [CUDA memcpy Host-to-Device]\n 3,000,000      2,900,000                                    13  filter(float *)\n 6,000,000      2,600,000      67.109  Pageable    Device      13  [CUDA memcpy Host-to-Device]\n 9,000,000      2,900,000                                    13  filter(float *)',
  ],
  [
    'cleared when the copies are short',
    'cleared',
    ' Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name\n -------------  -------------  ----------  --------  --------  ----  ----------------------------\n 1,000      20,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 3,000,000      2,900,000                                    13  filter(float *)\n 6,000,000      20,000      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]\n 9,000,000      2,900,000                                    13  filter(float *)',
  ],
];

describe('application/copies-not-overlapped', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(copiesNotOverlapped, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
