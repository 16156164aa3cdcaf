import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { iommuBreaksP2p } from './iommu-breaks-p2p.ts';

describe('host-os/iommu-breaks-p2p', () => {
  it.each([
    [
      'fault when it translates and data arrives wrong',
      'iommu: Default domain type: Translated\nVerification error @ element 0: val = 0.000000, ref = 1.000000',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent when the bridges redirect',
      'iommu: Default domain type: Translated\nVerification error @ element 0: val = 0.000000, ref = 1.000000\n$ lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-',
      { kind: 'silent' },
    ],
    ['silent when it translates and nothing fails', 'iommu: Default domain type: Translated', { kind: 'silent' }],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(iommuBreaksP2p, text)).toMatchObject(answer);
  });
});
