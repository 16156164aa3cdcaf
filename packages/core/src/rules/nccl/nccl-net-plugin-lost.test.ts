import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclNetPluginLost } from './nccl-net-plugin-lost.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with a port that is active',
    'fault proved',
    'node:1:1 [0] NCCL INFO Failed to open libibverbs.so[.1]\nnode:1:1 [0] NCCL INFO Using network Socket\nFI_PROVIDER=efa',
  ],
  [
    'fault likely when a named plugin is missing',
    'fault likely',
    'node:1:1 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net-aws-ofi-nccl.so\nnode:1:1 [0] NCCL INFO Using network Socket',
  ],
  [
    'cleared on IB',
    'cleared',
    'NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation\nNCCL INFO Using network IB',
  ],
];

describe('nccl/nccl-net-plugin-lost', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclNetPluginLost, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
