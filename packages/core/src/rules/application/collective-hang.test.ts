import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { collectiveHang } from './collective-hang.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when the dumps of two ranks differ',
    'fault likely',
    '[rank0]:[E1 ProcessGroupNCCL.cpp:1746] [PG ID 0 PG GUID 0(default_pg) Rank 0] Received a dump signal due to a collective timeout from this local rank and we will try our best to dump the debug info. Last enqueued NCCL work: 52, last completed NCCL work: 51.\n[rank1]:[E1 ProcessGroupNCCL.cpp:1746] [PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: 51, last completed NCCL work: 51.',
  ],
  [
    'fault when ranks call different collectives',
    'fault likely',
    '[rank0]:[E312 10:21:12.123 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=318, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.\n[rank1]:[E312 10:21:12.123 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=318, OpType=_ALLGATHER_BASE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.',
  ],
  [
    'fault when a rank stands at an earlier number',
    'fault likely',
    '[rank0]:[E312 10:21:12.123 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=318, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.\n[rank0]:[E312 10:21:12.301 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 0]  failure detected by watchdog at work sequence id: 318 PG status: last enqueued work: 320, last completed work: 317\n[rank1]:[E312 10:21:12.301 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected by watchdog at work sequence id: 318 PG status: last enqueued work: 311, last completed work: 311',
  ],
  [
    'possible when the missing rank is silent',
    'fault possible',
    '[rank0]:[E312 10:21:12.123 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=318, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.\n[rank2]:[E312 10:21:12.123 ProcessGroupNCCL.cpp:616] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=318, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.\n[rank3]:[E312 10:21:12.123 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=318, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.',
  ],
  [
    'possible when only the status line is there',
    'fault possible',
    '[rank6]:[E312 10:21:12.301 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 6]  failure detected by watchdog at work sequence id: 318 PG status: last enqueued work: 318, last completed work: 317',
  ],
  [
    'possible in the words of an older release',
    'fault possible',
    '[E ProcessGroupNCCL.cpp:474] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=BROADCAST, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800413 milliseconds before timing out.',
  ],
  [
    'cleared when the job went on',
    'cleared',
    '[rank0]:[E312 10:21:12.123 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=318, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.\n[default0]:resuming from /ckpt/step_8000\n[default0]:step 8100 loss 1.731 (412.1 ms)\n[default0]:step 8200 loss 1.711 (412.1 ms)',
  ],
  ['silent when a kernel hangs without a collective', 'silent', '# training hangs, GPU at 100 %'],
];

describe('application/collective-hang', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(collectiveHang, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
