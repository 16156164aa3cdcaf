import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { roceNotLossless } from './roce-not-lossless.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely with a failed transfer',
    'fault likely',
    'local_ack_timeout_err 2231\nNCCL WARN NET/IB: Got completion from peer 10.1.2.3<40123> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129 (Send) localGid fe80::1 remoteGids fe80::2 hca mlx5_0',
  ],
  ['only possible on counters', 'fault possible', 'out_of_sequence 88231'],
  ['silent on counters of zero', 'silent', 'rx_discards_phy: 0'],
];

describe('network/roce-not-lossless', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(roceNotLossless, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
