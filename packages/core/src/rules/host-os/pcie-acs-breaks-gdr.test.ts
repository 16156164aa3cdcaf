import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pcieAcsBreaksGdr } from './pcie-acs-breaks-gdr.ts';

describe('host-os/pcie-acs-breaks-gdr', () => {
  it.each([
    [
      'fault when RDMA is slow and redirection is on',
      'GPUDirect RDMA bandwidth is low: 3 GB/s\n$ lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent when only redirection is shown',
      '$ lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(pcieAcsBreaksGdr, text)).toMatchObject(answer);
  });
});
