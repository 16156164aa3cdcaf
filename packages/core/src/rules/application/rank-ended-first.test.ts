import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { rankEndedFirst } from './rank-ended-first.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'possible when torchrun names the first rank',
    'fault possible',
    'Root Cause (first observed failure):\n[0]:\n  time      : 2026-03-12_10:21:19\n  host      : gn12\n  rank      : 3 (local_rank: 3)\n  exitcode  : -9 (pid: 4711)\n  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 4711\n============================================================',
  ],
  [
    'possible when mpirun names the rank',
    'fault possible',
    'mpirun noticed that process rank 5 with PID 4711 on node gn12 exited on signal 9 (Killed).',
  ],
  ['possible when srun names the task', 'fault possible', 'srun: error: gn12: tasks 0-3: Exited with exit code 1'],
  [
    'possible when the launcher of Lightning names the rank',
    'fault possible',
    '[rank: 2] Child process with PID 13117 terminated with code -9. Forcefully terminating all other processes to avoid zombies',
  ],
  [
    'possible when DeepSpeed gives a return code',
    'fault possible',
    "[2026-03-12 10:21:20,123] [ERROR] [launch.py:322:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py', '--local_rank=3'] exits with return code = -9",
  ],
  [
    'possible when a rank calls MPI_ABORT',
    'fault possible',
    'MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD\nwith errorcode 1.',
  ],
  [
    'silent when the time limit ended the job',
    'silent',
    'slurmstepd: error: *** STEP 1234.0 ON gn12 CANCELLED AT 2026-03-12T10:21:19 DUE TO TIME LIMIT ***',
  ],
  [
    'silent when all were told to end',
    'silent',
    'E0312 10:21:19.123000 4400 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -15) local_rank: 3 (pid: 4711) of binary: /usr/bin/python3',
  ],
];

describe('application/rank-ended-first', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(rankEndedFirst, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
