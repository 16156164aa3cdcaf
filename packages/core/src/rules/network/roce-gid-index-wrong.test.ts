import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { roceGidIndexWrong } from './roce-gid-index-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on two networks',
    'fault likely',
    'NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev rocep1s0f0:1, curr state INIT, next state RTR, local GID index 3, local GID ::ffff:192.168.102.1, remote GID ::ffff:192.168.104.1',
  ],
  [
    'fault likely with the variable',
    'fault likely',
    'NCCL_IB_GID_INDEX=7\nNCCL WARN Call to ibv_modify_qp failed with error Invalid argument',
  ],
  [
    'fault proved on an empty slot',
    'fault proved',
    'ibv_modify_qp failed with 61 No data available, on dev roceP2p1s0f0:1, curr state INIT, next state RTR, local GID index 3, local GID ::',
  ],
];

describe('network/roce-gid-index-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(roceGidIndexWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
