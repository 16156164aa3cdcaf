import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvlinkFault } from './nvlink-fault.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on an event of NVLink 5',
    'fault proved',
    'NVRM: Xid (PCI:0018:01:00): 149, pid=1, name=python, NETIR_LINK_EVT/NETIR_LINK_DOWN Fatal XC0 i0 Link 03 (0x00086226 0x00000001 0x00000000 0x00000000 0x00000000 0x00000000)',
  ],
  [
    'fault proved on the log of Fabric Manager',
    'fault proved',
    '[Jul 23 2024 07:53:55] [ERROR] [tid 841] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 physical id 3 port 33',
  ],
  ['fault likely on DCGM', 'fault likely', "GPU 2's NvLink link 5 is currently down"],
  [
    'cleared when not fatal',
    'cleared',
    'NVRM: Xid (PCI:0018:01:00): 145, pid=1, name=python, RLW_REMAP Nonfatal XC0 i0 Link 03 (0x00000004 0x00000001 0x0 0x0 0x0 0x0)',
  ],
];

describe('hardware/nvlink-fault', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvlinkFault, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
