import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclPeerUnreachable } from './nccl-peer-unreachable.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when refused',
    'fault likely',
    'n2:71:71 [0] NCCL WARN socketStartConnect: Connect to 10.0.4.12<40113> failed : Connection refused',
  ],
  [
    'fault likely on an RDMA retry',
    'fault likely',
    'n2:71:71 [0] NCCL WARN NET/IB : Got completion from peer 10.0.4.12<40113> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=0 len=0 vendor err 129',
  ],
  ['silent without a connection', 'silent', 'hello'],
  [
    'EFA in a security group that lets SSH through',
    'fault likely',
    'NCCL WARN NET/OFI Request 0x7f completed with error. RC: 5. Error: Unresponsive receiver. This error is typically caused by a peer hardware failure or incorrect inbound/outbound rules in the security group - EFA requires "All traffic" type allowlisting.\n$ aws ec2 describe-security-group-rules\n            "IpProtocol": "tcp",',
  ],
  [
    'near miss: EFA in a group that lets all through',
    'fault possible',
    'NCCL WARN NET/OFI Request 0x7f completed with error. RC: 5. Error: Unresponsive receiver. This error is typically caused by a peer hardware failure or incorrect inbound/outbound rules in the security group - EFA requires "All traffic" type allowlisting.\n            "IpProtocol": "-1",',
  ],
  [
    'near miss: EFA, nothing known of the group',
    'fault possible',
    'NCCL WARN NET/OFI Request 0x7f completed with error. RC: 5. Error: Unresponsive receiver. This error is typically caused by a peer hardware failure or incorrect inbound/outbound rules in the security group - EFA requires "All traffic" type allowlisting.',
  ],
];

describe('network/nccl-peer-unreachable', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclPeerUnreachable, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
