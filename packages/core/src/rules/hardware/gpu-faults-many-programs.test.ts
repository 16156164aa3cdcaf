import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuFaultsManyPrograms } from './gpu-faults-many-programs.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'unknown on two programs',
    'unknown',
    'NVRM: Xid (PCI:0000:3b:00): 13, pid=1, name=a.out, Graphics Exception: ESR 0x504648=0x4\nNVRM: Xid (PCI:0000:3b:00): 31, pid=2, name=b.out, Ch 00000008',
  ],
  [
    'fault likely on three programs',
    'fault likely',
    'NVRM: Xid (PCI:0000:3b:00): 13, pid=1, name=a.out, Graphics Exception: ESR 0x504648=0x4\nNVRM: Xid (PCI:0000:3b:00): 31, pid=2, name=namd3, Ch 00000008\nNVRM: Xid (PCI:0000:3b:00): 31, pid=3, name=python, Ch 00000008',
  ],
  [
    'fault likely with host names',
    'fault likely',
    'Nov 03 10:11:12 node-a kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=2, name=namd3, Ch 00000008\nNov 03 11:11:12 node-a kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=3, name=python, Ch 00000008\nNov 03 12:11:12 node-a kernel: NVRM: Xid (PCI:0000:3b:00): 13, pid=4, name=relion, Graphics Exception: ESR 0x504648=0x4',
  ],
  ['silent on one event', 'silent', 'NVRM: Xid (PCI:0000:3b:00): 31, pid=10, name=python3, Ch 00000008'],
  [
    'cleared on a graver event',
    'cleared',
    'NVRM: Xid (PCI:0000:3b:00): 48, pid=10, name=python3, DBE\nNVRM: Xid (PCI:0000:3b:00): 31, pid=10, name=python3, Ch 00000008',
  ],
];

describe('hardware/gpu-faults-many-programs', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuFaultsManyPrograms, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
