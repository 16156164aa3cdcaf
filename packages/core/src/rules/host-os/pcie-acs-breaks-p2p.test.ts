import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pcieAcsBreaksP2p } from './pcie-acs-breaks-p2p.ts';

describe('host-os/pcie-acs-breaks-p2p', () => {
  it.each([
    [
      'fault when data arrives wrong and redirection is on',
      'Verification error @ element 0: val = 0.000000, ref = 1.000000\n$ lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when the hang is only told',
      '# all_reduce never returns\n$ lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'possible when only the wrong data is shown',
      'Verification error @ element 0: val = 0.000000, ref = 1.000000',
      { kind: 'fault', certainty: 'possible' },
    ],
    [
      'proved where the run goes well without peer access only',
      '$ timeout 60 ./all_reduce_perf -g 2\n# nThread 1\n$ echo $?\n124\n$ NCCL_P2P_DISABLE=1 ./all_reduce_perf -g 2 | tail -1\n# Avg bus bandwidth    : 3.1\n$ sudo lspci -vvv -s 40:01.1 | grep -i acsctl\n		ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-',
      { kind: 'fault', certainty: 'proved' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(pcieAcsBreaksP2p, text)).toMatchObject(answer);
  });
});
