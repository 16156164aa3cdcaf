import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { distributedInitMisuse } from './distributed-init-misuse.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a variable of the launcher is missing',
    'fault proved',
    'ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set',
  ],
  [
    'fault when the counts differ',
    'fault likely',
    'n2:9020:9088 [0] bootstrap.cc:136 NCCL WARN Bootstrap Root : mismatch in rank count from procs 16 : 8',
  ],
  [
    'cleared when something failed before',
    'cleared',
    'Traceback (most recent call last):\n  File "t.py", line 2, in <module>\n    load()\nFileNotFoundError: no such file\nValueError: Default process group has not been initialized, please make sure to call init_process_group.',
  ],
  [
    'Open MPI has too few slots',
    'fault proved',
    'There are not enough slots available in the system to satisfy the 32\nslots that were requested by the application:\n\n  ./train',
  ],
  ['near miss: Open MPI tells of its slots', 'silent', '   node: n1  num slots: 8   max slots: 0   state: UP'],
];

describe('application/distributed-init-misuse', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(distributedInitMisuse, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
