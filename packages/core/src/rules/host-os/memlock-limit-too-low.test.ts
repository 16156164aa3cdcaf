import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { memlockLimitTooLow } from './memlock-limit-too-low.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with ulimit',
    'fault proved',
    'NCCL WARN Call to ibv_create_qp failed with error Cannot allocate memory\n$ ulimit -l\n64',
  ],
  [
    'fault proved on the help of Open MPI',
    'fault proved',
    'The OpenFabrics (openib) BTL failed to initialize while trying to allocate some locked memory.\n  Function:      ibv_create_cq()\n  Device:        mlx5_0\n  Memlock limit: 65536',
  ],
  [
    'only possible on the warning of libibverbs',
    'fault possible',
    'libibverbs: Warning: RLIMIT_MEMLOCK is 32768 bytes.\n    This will severely limit memory registrations.',
  ],
  ['silent on another error of the call', 'silent', 'NCCL WARN Call to ibv_open_device failed'],
];

describe('host-os/memlock-limit-too-low', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(memlockLimitTooLow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
