import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { mpsNotReachable } from './mps-not-reachable.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the error alone',
    'fault likely',
    'RuntimeError: CUDA error: MPS client failed to connect to the MPS control daemon or the MPS server',
  ],
  [
    'fault proved when the server of the log fails',
    'fault proved',
    'CUDA error: CUDA_ERROR_MPS_CONNECTION_FAILED\n[2024-04-29 11:22:10.441 Control    73] Server encountered a fatal exception. Shutting down',
  ],
  [
    'fault likely when the plugin waits for the daemon',
    'fault likely',
    'error waiting for MPS daemon: error checking MPS daemon health: failed to send command to MPS daemon: exit status 1',
  ],
  ['silent when MPS is full', 'silent', 'CUDA error: CUDA_ERROR_MPS_MAX_CLIENTS_REACHED'],
  ['silent on a busy GPU', 'silent', 'CUDA error: all CUDA-capable devices are busy or unavailable'],
];

describe('driver/mps-not-reachable', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(mpsNotReachable, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
