import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { roceGidIndexWrong } from './roce-gid-index-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved where the index is link-local and another is routed',
    'fault proved',
    'n1:1:2 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 1.\nn1:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.20.2.6<40001> with status=12 opcode=0 len=0 vendor err 129\n$ show_gids\nmlx5_2\t1\t0\tfe80:0000:0000:0000:0e42:a1ff:fe55:0001\t\t\tv1\tens1\nmlx5_2\t1\t1\tfe80:0000:0000:0000:0e42:a1ff:fe55:0001\t\t\tv2\tens1\nmlx5_2\t1\t3\t0000:0000:0000:0000:0000:ffff:0a14:0105\t10.20.1.5  \tv2\tens1',
  ],
  [
    'fault proved where the entry is empty',
    'fault proved',
    'NCCL_IB_GID_INDEX=9\nn1:1:2 [0] misc/ibvwrap.cc:239 NCCL WARN Call to ibv_query_gid failed\n$ cat /sys/class/infiniband/mlx5_2/ports/1/gids/9\n0000:0000:0000:0000:0000:0000:0000:0000',
  ],
  [
    'silent where the routed index is set',
    'silent',
    'NCCL_IB_GID_INDEX=3\nn1:1:2 [0] NCCL WARN NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129\n$ show_gids\nmlx5_2\t1\t0\tfe80:0000:0000:0000:0e42:a1ff:fe55:0001\t\t\tv1\tens1\nmlx5_2\t1\t1\tfe80:0000:0000:0000:0e42:a1ff:fe55:0001\t\t\tv2\tens1\nmlx5_2\t1\t3\t0000:0000:0000:0000:0000:ffff:0a14:0105\t10.20.1.5  \tv2\tens1',
  ],
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
  [
    'no route to the address of the peer',
    'fault likely',
    'n:5:6 [1] ibvwrap.cc:190 NCCL WARN Call to ibv_modify_qp failed with error No route to host',
  ],
  [
    'the network of the peer is not reached, by number',
    'fault likely',
    'n:5:6 [1] NCCL WARN Call to ibv_modify_qp failed with 101 Network is unreachable, on dev mlx5_2:1, curr state INIT, next state RTR, local GID index 0',
  ],
  [
    'near miss: the device is gone',
    'fault possible',
    'n:5:6 [1] NCCL WARN Call to ibv_modify_qp failed with error No such device',
  ],
  [
    'NCCL took a link-local address by itself',
    'fault proved',
    'w1:946:988 [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 1291 mtu 3 GID 0 (80FE/3A2B1C0D)\nw1:946:988 [0] transport/net_ib.cc:839 NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129\n$ show_gids\nDEV     PORT    INDEX   GID                                     IPv4            VER     DEV\n---     ----    -----   ---                                     ------------    ---     ---\nmlx5_0  1       0       fe80:0000:0000:0000:1070:fdff:feb3:12aa                 v1      bond0\nmlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a6a:0105 10.106.1.5      v2      bond0\n',
  ],
  [
    'near miss: NCCL took the routed one',
    'silent',
    'w1:946:988 [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 1291 mtu 3 GID 3 (0/501A6A0A FFFF0000)\nw1:946:988 [0] transport/net_ib.cc:839 NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129\n$ show_gids\nDEV     PORT    INDEX   GID                                     IPv4            VER     DEV\n---     ----    -----   ---                                     ------------    ---     ---\nmlx5_0  1       0       fe80:0000:0000:0000:1070:fdff:feb3:12aa                 v1      bond0\nmlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a6a:0105 10.106.1.5      v2      bond0\n',
  ],
];

describe('network/roce-gid-index-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(roceGidIndexWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
