import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { uncorrectableEcc } from './uncorrectable-ecc.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on Xid 48',
    'fault proved',
    'NVRM: Xid (PCI:0000:41:00): 48, pid=22011, name=python3, DBE (double bit error) on FB',
  ],
  [
    'fault proved on Xid 95',
    'fault proved',
    'NVRM: Xid (PCI:0000:41:00): 95, pid=22011, name=python3, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No',
  ],
  [
    'fault proved on the message of torch',
    'fault proved',
    '[rank5]: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered',
  ],
  [
    'silent on an exporter gauge of the last Xid',
    'silent',
    'DCGM_FI_DEV_XID_ERRORS{gpu="3",modelName="NVIDIA H100 80GB HBM3",err_code="48"} 48',
  ],
];

describe('hardware/uncorrectable-ecc', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(uncorrectableEcc, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
