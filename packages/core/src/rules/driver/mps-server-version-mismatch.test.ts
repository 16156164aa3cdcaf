import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { mpsServerVersionMismatch } from './mps-server-version-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the kernel refuses the server',
    'fault proved',
    "NVRM: API mismatch: the client 'nvidia-cuda-mps' (pid 410) has the version 550.90.07, but this kernel module has the version 570.86.15.",
  ],
  ['fault likely when MPS says so', 'fault likely', 'MPS client version is incompatible with the MPS server'],
  [
    'fault proved when MPS says so and clients fail',
    'fault proved',
    'MPS server version mismatch: client refused\nCUDA error: CUDA_ERROR_MPS_RPC_FAILURE',
  ],
  ['silent on a healthy server', 'silent', '[2026-04-28 18:20:41.986 Server 4428] Display Driver version: 550'],
];

describe('driver/mps-server-version-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(mpsServerVersionMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
