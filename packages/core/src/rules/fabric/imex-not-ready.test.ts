import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { imexNotReady } from './imex-not-ready.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on NCCL’s word',
    'fault likely',
    'NCCL WARN MNNVL (cliqueSize 4) is available but not working on this system. Check the IMEX configuration (nvidia-imex-ctl -N). Set NCCL_MNNVL_ENABLE=0 to ignore this issue.',
  ],
  [
    'fault proved without the channel',
    'fault proved',
    "cuMemCreate with CU_MEM_HANDLE_TYPE_FABRIC failed: CUDA_ERROR_NOT_PERMITTED\nls: cannot access '/dev/nvidia-caps-imex-channels': No such file or directory",
  ],
  ['fault proved when the domain is down', 'fault proved', 'Domain State: DOWN'],
  [
    'silent on a machine without the channel and without the need',
    'silent',
    "ls: cannot access '/dev/nvidia-caps-imex-channels': No such file or directory",
  ],
  ['silent elsewhere', 'silent', 'NCCL WARN Call to connect returned Connection refused, retrying'],
  [
    'a handle that is not permitted, and no channels',
    'fault proved',
    "[CUDA_ERROR_NOT_PERMITTED] operation not permitted in expression cuMemCreate(&handle, size, &prop, 0)\nls: cannot access '/dev/nvidia-caps-imex-channels': No such file or directory",
  ],
];

describe('fabric/imex-not-ready', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(imexNotReady, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
