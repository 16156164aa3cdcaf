import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pageableCopiesSynchronous } from './pageable-copies-synchronous.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved from trace and calls',
    'fault proved',
    'Start (ns),Duration (ns),CorrId,Bytes (MB),SrcMemKd,DstMemKd,Device,Strm,Name\n1203344112,1010731,2211,25.166,Pageable,Device,NVIDIA L4 (0),7,[CUDA memcpy Host-to-Device]\nTime (%),Total Time (ns),Num Calls,Avg (ns),Name\n30.5,404889212,512,790799.2,cudaMemcpyAsync_v3020',
  ],
  ['silent without copies', 'silent', '    Block Size                                             32'],
];

describe('application/pageable-copies-synchronous', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pageableCopiesSynchronous, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
