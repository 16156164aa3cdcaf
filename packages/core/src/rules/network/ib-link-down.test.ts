import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ibLinkDown } from './ib-link-down.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the event alone',
    'fault likely',
    'node7:1:1 [2] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error',
  ],
  ['fault likely on the kernel', 'fault likely', 'mlx5_core 0000:17:00.0 ens1f0np0: Link down'],
  [
    'fault proved on both',
    'fault proved',
    'node7:1:1 [2] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n[99.1] mlx5_core 0000:17:00.0: Port module event[error]: module 0, Cable error, Bad cable',
  ],
  ['silent on a GID change', 'silent', 'node7:1:1 [2] NCCL WARN NET/IB : mlx5_2:1 GID table changed'],
];

describe('network/ib-link-down', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ibLinkDown, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
