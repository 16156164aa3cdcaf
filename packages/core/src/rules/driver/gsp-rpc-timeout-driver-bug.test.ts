import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gspRpcTimeoutDriverBug } from './gsp-rpc-timeout-driver-bug.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when several GPUs do it',
    'fault proved',
    'NVRM: Xid (PCI:0000:9b:00): 119, pid=1, name=a, Timeout after 6s of waiting for RPC response from GPU5 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802702 0x8).\nNVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=a, Timeout after 6s of waiting for RPC response from GPU1 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802702 0x8).',
  ],
  [
    'fault likely on one GPU',
    'fault likely',
    'NVRM: Xid (PCI:0000:9b:00): 119, pid=1, name=a, Timeout after 6s of waiting for RPC response from GPU5 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802702 0x8).',
  ],
  [
    'silent on Xid 13',
    'silent',
    'NVRM: Xid (PCI:0000:9b:00): 13, pid=1, name=a, Graphics Exception: ESR 0x404490=0x80000001',
  ],
];

describe('driver/gsp-rpc-timeout-driver-bug', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gspRpcTimeoutDriverBug, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
